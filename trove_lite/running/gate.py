"""Who may ask the models next: what streams wait for comes first, and what nothing waits for fills what is left.

Requests that fill an engine slow those that a stream waits for, problem after problem: sixty at once leave each of them
a sixtieth of a small machine. So fillers stand back: there may be as many as leave the pace of awaited samples nearly
as it is without them. On an engine where large batches are almost free that soon is as many as fit. It knows ranks and
seconds, neither prompts nor models.
"""

import asyncio
import heapq
import itertools
from contextlib import asynccontextmanager

FILLER = 1 << 40  # the rank of what nothing waits for
SLACK = 1.3  # times the pace without fillers that awaited samples may take
FIRST = 2  # fillers before the pace is known


def ahead(rank: int) -> bool:
    """Whether this is a sample that a stream will want and does not wait for yet: the driver gives it an odd rank."""
    return rank < FILLER and rank % 2 == 1


class Gate:
    """At most `width` at a time, lowest rank first; within a rank, in order of arrival; of fillers at most `fill`."""

    def __init__(self, width: int):
        self.width = self.free = width
        self.fill = self.filling = 0
        self.waiting: list[tuple[int, int, asyncio.Future]] = []
        self.arrivals = itertools.count()
        self.streams = self.awaited = self.reserved = (
            0  # places of what is awaited now, and the most there were at once
        )
        self.paces: dict[int, float] = {}  # seconds a token of awaited samples, smoothed, by the fillers beside them
        self.release()

    @asynccontextmanager
    async def __call__(self, rank: int):
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self.waiting, (rank, next(self.arrivals), turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:  # the run is being stopped
            if turn.done() and not turn.cancelled():
                self._leave(rank)
            raise
        try:
            yield
        finally:
            self._leave(rank)

    def hold(self) -> None:
        """A stream begins, and fillers stand back."""
        self.streams += 1
        self.fill = FIRST

    def release(self) -> None:
        """A stream has ended; after the last one there is nothing to stand back from."""
        self.streams = max(0, self.streams - 1)
        if not self.streams:
            self.fill = self.width
            self._admit()

    def measure(self, seconds: float, tokens: int | None) -> None:
        """An awaited sample took so long to write so many tokens: let in more fillers, or fewer."""
        if not self.streams or not tokens or seconds <= 0:
            return
        pace, here = seconds / tokens, self.filling
        self.paces[here] = 0.7 * self.paces.get(here, pace) + 0.3 * pace
        best = min(self.paces.values())
        if pace <= SLACK * best:
            self.fill = min(self.width - self.reserved, self.fill + max(1, self.fill // 4))
        else:
            self.fill = max(0, min(self.fill, here) // 2)
        self._admit()

    def _admit(self) -> None:
        while self.free and self.waiting:
            rank, _, turn = self.waiting[0]
            if rank >= FILLER and self.filling >= self.fill and not turn.done():
                return
            heapq.heappop(self.waiting)
            if not turn.done():  # cancelled ones have gone
                turn.set_result(None)
                self.free -= 1
                if rank >= FILLER:
                    self.filling += 1
                elif not ahead(rank):  # their places stay theirs: the next problem wants them once this one is done
                    self.awaited += 1
                    self.reserved = max(self.reserved, self.awaited)

    def _leave(self, rank: int) -> None:
        self.free += 1
        self.filling -= rank >= FILLER
        self.awaited -= rank < FILLER and not ahead(rank)
        self._admit()
