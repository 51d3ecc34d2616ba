"""Who may ask next, and how fillers stand back: on engines that are simulated step by step, in their own time."""

import asyncio
import itertools

import pytest

from trove_lite.running.gate import FILLER, Gate

TOKENS, PROBLEMS, AWAITED = 50, 60, 15


def test_the_gate_lets_so_many_in_by_rank():
    async def main():
        gate, order, inside = Gate(2), [], 0

        async def visit(rank, name):
            nonlocal inside
            async with gate(rank):
                inside += 1
                assert inside <= 2
                order.append(name)
                await asyncio.sleep(0.001)
                inside -= 1

        visits = [visit(2, "a"), visit(2, "b"), visit(2, "c"), visit(1, "d"), visit(0, "e"), visit(1, "f")]
        await asyncio.gather(*visits)
        return order

    assert asyncio.run(main()) == ["a", "b", "e", "d", "f", "c"]


def test_who_is_cancelled_while_waiting_holds_no_place():
    async def main():
        gate = Gate(1)

        async def visit():
            async with gate(0):
                await asyncio.sleep(0.01)

        first, second, third = (asyncio.create_task(visit()) for _ in range(3))
        await asyncio.sleep(0.001)
        second.cancel()
        await asyncio.wait_for(third, 60)
        await first
        assert gate.free == 1
        assert gate.filling == 0

    asyncio.run(main())


class Engine:
    """Writes one token for every active request a step; a step of n requests takes `cost(n)` seconds."""

    def __init__(self, cost):
        self.cost, self.now, self.active, self.names = cost, 0.0, {}, itertools.count()

    async def sample(self, gate, rank):
        async with gate(rank):
            done, begun = asyncio.get_running_loop().create_future(), self.now
            self.active[next(self.names)] = [TOKENS, done]
            await done
            if rank < FILLER:
                gate.measure(self.now - begun, TOKENS)

    def step(self):
        self.now += self.cost(len(self.active))
        for name, request in list(self.active.items()):
            request[0] -= 1
            if not request[0]:
                self.active.pop(name)[1].set_result(None)


def mixed(cost, fillers, width=64):
    """A stream of problems, each waiting for its samples, beside fillers: when each of them was through."""

    async def main():
        engine, gate = Engine(cost), Gate(width)

        async def stream():
            gate.hold()
            for place in range(PROBLEMS):
                await asyncio.gather(*(engine.sample(gate, place - PROBLEMS) for _ in range(AWAITED)))
            gate.release()
            return engine.now

        async def fill():
            await asyncio.gather(*(engine.sample(gate, FILLER) for _ in range(fillers)))
            return engine.now

        tasks = [asyncio.create_task(stream()), asyncio.create_task(fill())]
        while not all(task.done() for task in tasks):
            for _ in range(20):  # let everything that can go on go on
                await asyncio.sleep(0)
            if engine.active:
                engine.step()
        return [task.result() for task in tasks]

    return asyncio.run(main())


ENGINES = {
    "a CPU, where a step takes as long as it has requests": lambda n: 0.02 + 0.02 * n,
    "a GPU, where batches are nearly free": lambda n: 0.02 + 0.0001 * n,
}


@pytest.mark.parametrize("cost", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("fillers", [PROBLEMS * AWAITED, 4 * PROBLEMS * AWAITED])
def test_a_mixed_run_takes_little_longer_than_its_stream_or_its_work_must(cost, fillers):
    path = PROBLEMS * TOKENS * cost(AWAITED)
    work = (PROBLEMS * AWAITED + fillers) * TOKENS * cost(64) / 64
    assert max(mixed(cost, fillers)) <= 1.15 * max(path, work)
