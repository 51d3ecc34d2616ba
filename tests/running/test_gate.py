"""Who may ask next."""

import asyncio

from trove_lite.running.gate import Gate


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

    asyncio.run(main())
