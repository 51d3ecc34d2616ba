"""Who may go next: so many at a time, and what streams wait for comes before what nothing waits for."""

import asyncio
import heapq
import itertools
from contextlib import asynccontextmanager

FILLER = 1 << 40  # the rank of what nothing waits for


class Gate:
    """At most `width` at a time, lowest rank first; within a rank, in order of arrival."""

    def __init__(self, width: int):
        self.free = width
        self.waiting: list[tuple[int, int, asyncio.Future]] = []
        self.arrivals = itertools.count()
        self.closed = False  # nobody else goes

    @asynccontextmanager
    async def __call__(self, rank: int):
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self.waiting, (rank, next(self.arrivals), turn))
        self._admit()
        try:
            await turn
            yield self
        finally:
            self.free += not turn.cancelled()  # who is cancelled while waiting holds no place
            self._admit()

    def _admit(self) -> None:
        while self.free and self.waiting and not self.closed:
            turn = heapq.heappop(self.waiting)[-1]
            if not turn.done():
                turn.set_result(None)
                self.free -= 1
