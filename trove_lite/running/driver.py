"""The driver: answers what every method's generator asks for, all streams at once, from the journal or from the model.

Here alone a model, a sandbox and gold answers meet. Programs run while others are generated; samples that a stream will
surely want are begun ahead. It makes records; what they mean is `records`, and the run folder is `run`.
"""

import asyncio
import heapq
import itertools
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from ..datasets.base import Problem, Question
from ..errors import TroveLiteError
from ..journal import Journal
from ..methods import METHODS
from ..methods.base import Answer, Attempt, Candidate, Settings, Steps, sample_seed
from ..methods.toolbox import Toolbox
from ..models.base import LanguageModel, PromptRefused
from ..programs import program_of
from .progress import Progress
from .record import Record, content_hash

SYNC_SECONDS = 2.0
LOOKAHEAD = 8
ALONE = 1 << 40  # the rank of problems that nothing waits for


class Gate:
    """At most `width` at a time, lowest rank first; within a rank, in order of arrival."""

    def __init__(self, width: int):
        self.free = width
        self.waiting: list[tuple[int, int, asyncio.Future]] = []
        self.arrivals = itertools.count()

    @asynccontextmanager
    async def __call__(self, rank: int):
        if self.free:
            self.free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self.waiting, (rank, next(self.arrivals), turn))
            await turn
        try:
            yield
        finally:
            while self.waiting:
                turn = heapq.heappop(self.waiting)[2]
                if not turn.done():  # cancelled: the run is being stopped
                    turn.set_result(None)
                    break
            else:
                self.free += 1


class Shard:
    """One method on one category with one seed: its problems, its journal, and how it is doing."""

    def __init__(self, method: str, category: str, seed: int, problems: Sequence[Problem], settings: Settings):
        self.method, self.category, self.seed, self.settings = method, category, seed, settings
        self.problems = {problem.index: problem for problem in problems}
        self.questions = [problem.question for problem in problems]
        self.verdicts: dict[int, bool] = {}
        self.journal: Journal | None = None
        self.recorded: dict[tuple, Record] = {}
        self.toolbox: Toolbox | None = None  # what the stream ended with

    @property
    def label(self) -> str:
        return f"{self.method}-{self.category}-{self.seed}"

    def open(self, folder: Path) -> None:
        self.journal = Journal(folder / f"{self.label}.jsonl")
        self.recorded = {record.key: record for record in (Record(**r) for r in self.journal.records)}
        self.journal.records = []


class Driver:
    """Answers the wishes of every shard's generators from the journal or, where it has none, from the model."""

    def __init__(self, model: LanguageModel, sandbox, pack, *, parser: str, progress: Progress, in_flight: int = 256):
        self.model, self.sandbox, self.pack, self.parser, self.progress = model, sandbox, pack, parser, progress
        self.generating, self.executing = Gate(in_flight), Gate(sandbox.workers)
        self.live = asyncio.Semaphore(in_flight)
        self.tasks: asyncio.TaskGroup | None = None

    async def run(self, shards: Sequence[Shard]) -> None:
        """Run all shards to their end. Raises the first failure, having stopped everything else."""
        failure = None
        try:
            async with asyncio.TaskGroup() as self.tasks:
                syncing = self.tasks.create_task(self._sync(shards))
                running = [self.tasks.create_task(self._shard(shard)) for shard in shards]
                await asyncio.wait(running)
                syncing.cancel()
        except BaseExceptionGroup as group:
            failure = first_failure(group)
        if failure:  # not raised in there: see `gather`
            raise failure

    async def _sync(self, shards: Sequence[Shard]) -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            for shard in shards:
                await asyncio.to_thread(shard.journal.sync)

    async def _shard(self, shard: Shard) -> None:
        method = METHODS[shard.method]
        if method.ahead:
            steps = method.steps(shard.questions, shard.settings)
            shard.toolbox = await self._follow(shard, steps, shard.questions)
        elif shard.questions:
            await asyncio.wait([self.tasks.create_task(self._alone(shard, question)) for question in shard.questions])
        self.progress.done(shard.label)

    async def _alone(self, shard: Shard, question: Question) -> None:
        async with self.live:  # the rest of the problems wait here, as small as can be
            await self._follow(shard, METHODS[shard.method].steps([question], shard.settings))

    async def _follow(self, shard: Shard, steps: Steps, stream: Sequence[Question] = ()) -> Toolbox | None:
        """Feed one generator to its end, with samples that its stream will surely ask for begun ahead of time.

        Returns what the generator returns.

        Where model or sandbox cannot keep up, the stream with most problems to go is served first, and of its samples
        those of the next problem: all streams then end together, as soon as can be.
        """
        begun: dict[tuple, asyncio.Task] = {}
        early = enumerate(METHODS[shard.method].ahead(stream, shard.settings)) if stream else iter(())
        answer, place, window = None, 0, LOOKAHEAD
        while True:
            for later, attempts in itertools.islice(early, window):
                self._begin(shard, attempts, 2 * (later - len(stream)) + 1, begun)
            try:
                wish = steps.send(answer)
            except StopIteration as end:
                return end.value
            if isinstance(wish, Answer):
                self._note(shard, wish)
                answer, place, window = None, place + 1, 1
            else:
                keys = self._begin(shard, wish, 2 * (place - len(stream)) if stream else ALONE, begun)
                answer, window = [await begun.pop(key) for key in keys], 0

    def _begin(self, shard: Shard, attempts: Sequence[Attempt], rank: int, begun: dict) -> list[tuple]:
        keys = []
        for attempt in attempts:
            for number in attempt.samples:
                key = (attempt.phase, attempt.question.index, attempt.mode, number)
                keys.append(key)
                if key not in begun:
                    begun[key] = self.tasks.create_task(self._sample(shard, attempt, key, rank))
        return keys

    async def _sample(self, shard: Shard, attempt: Attempt, key: tuple, rank: int) -> Candidate:
        """One sample, from the journal or new: generated, parsed, run and recorded."""
        phase, index, mode, number = key
        prompt = attempt.prompt
        if prompt is None:
            prompt = self.pack.render(shard.category, mode, attempt.question.text, attempt.shown)
        asked = content_hash(prompt)
        record = shard.recorded.pop(key, None)
        if record is None:
            seed = sample_seed(shard.seed, attempt.question.dataset, shard.category, index, phase, mode, number)
            try:
                async with self.generating(rank):
                    (completion,) = await self.model.complete(prompt, [seed])
                record = Record.of(key, asked, completion)
            except PromptRefused as error:  # whatever else the model does wrong stops the run
                record = Record.missing(key, asked, str(error))
            if attempt.runs and record.status is None:
                parsed = record.parsed(self.parser)
                program = program_of(parsed.solution, parsed.tools, attempt.library)
                if not program.strip() and self.parser != "official":  # there, nothing at all succeeds
                    record = replace(record, status="no_code")
                else:
                    async with self.executing(rank):
                        record = record.executed(await self.sandbox.run(program))
            shard.journal.append(record.as_json())
        elif record.prompt != asked:
            raise TroveLiteError(
                f"{shard.journal.path}: {mode} sample {number} of problem {index} was recorded for another prompt; the "
                "journal is from other settings or was edited: choose another --out"
            )
        return record.candidate(self.parser)

    def _note(self, shard: Shard, answer: Answer) -> None:
        problem = shard.problems[answer.question.index]
        shard.verdicts[problem.index] = Record.verdict(answer.candidate, problem.gold)
        self.progress.update(shard.label, shard.verdicts)


def first_failure(group: BaseExceptionGroup) -> BaseException:
    """Of what went wrong at once, the one to report: an interrupt, else an expected error, else the first."""
    flat = list(leaves(group))
    ranks = (lambda e: not isinstance(e, Exception), lambda e: isinstance(e, TroveLiteError), lambda e: True)
    return next(error for rank in ranks for error in flat if rank(error))


def leaves(group: BaseExceptionGroup) -> Iterator[BaseException]:
    for error in group.exceptions:
        yield from leaves(error) if isinstance(error, BaseExceptionGroup) else (error,)
