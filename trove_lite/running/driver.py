"""The driver: answers what every method's generator asks for, all streams at once, from the journal
or from the models.

Here alone models, a sandbox and gold answers meet. Programs run while others are generated; samples
that a stream will surely want are begun ahead. It makes records; what they mean is `record`, and
the run folder is `live`.
"""

import asyncio
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import InitVar, dataclass, field, replace
from functools import partial
from pathlib import Path

from msgspec import structs

from ..candidates import REFUSED, UNAVAILABLE
from ..datasets.base import Dataset, Problem, judge_output
from ..errors import DamagedFile, TroveLiteError
from ..journal import Journal
from ..judge.canonical import as_number
from ..methods.base import (
    Answer,
    Attempt,
    Candidate,
    Messages,
    Method,
    Question,
    Request,
    Run,
    Settings,
    sample_seed,
)
from ..models.base import (
    Completion,
    Gate,
    LanguageModel,
    Message,
    ModelError,
    PromptRefused,
    SampleUnavailable,
    as_spoken,
)
from ..prompts.base import PromptPack
from ..sandbox.pool import Sandbox
from .guesses import Guess, Guesses, alike
from .progress import Progress
from .record import Key, Record, Records, content_hash, keyed
from .settings import RunSettings

HEADING = "**Solution**"  # in a prompt that asks for replies under TROVE's headings
SYNC_SECONDS = 2.0
LOOKAHEAD = 8
LAST_SECONDS = 60.0  # for replies on their way when a run fails
PATIENCE = 20  # samples in a row that cannot be had, before the run is stopped
FILLER = 1 << 40  # the rank of what nothing waits for


def each(requests: Sequence[Request]) -> Iterator[tuple[Key, Request]]:
    """Every sample and run that is asked for, by its key."""
    for one in requests:
        yield from (
            (Key(one.phase, one.question.index, one.stage, n, one.round), one) for n in one.samples
        )


@dataclass(eq=False)
class Stream:
    """One method on one category with one seed: its problems, its journal, and how it is doing."""

    method: Method
    category: str
    seed: int
    problems: InitVar[Sequence[Problem]]  # kept by index
    settings: Settings
    examples: Sequence[Problem] = ()  # labelled problems that it may see
    given: Sequence = ()  # another run's toolboxes that it may see
    journal: Journal | None = None
    recorded: Records = field(default_factory=dict)
    #: Of another run, to be used again where they are the same.
    others: Records = field(default_factory=dict)
    alike: bool = True  # whether that run read tools as this one does
    reused: int = 0
    guesses: Guesses = field(default_factory=Guesses)
    correct: dict[int, bool] = field(default_factory=dict)
    answered: dict[int, int] = field(default_factory=dict)  # by which sample
    left_out: int = 0  # statements that stood with tools
    names: dict[int, dict[str, str]] = field(default_factory=dict)  # of answers, by problem
    learned: object = None  # what the generator ended with: TROVE its toolbox

    def __post_init__(self, problems: Sequence[Problem]):
        if self.given:
            steps, ahead = (
                f and partial(f, given=self.given) for f in (self.method.steps, self.method.ahead)
            )
            self.method = self.method._replace(steps=steps, ahead=ahead)
        self.problems = {problem.index: problem for problem in problems}
        self.questions = [problem.question for problem in problems]
        self.modes = getattr(
            self.settings, "modes", self.method.modes
        )  # in the order in which some sample them
        self.isolated = getattr(
            self.settings, "isolated", False
        )  # whether its tools are definitions alone
        self.label = f"{self.method.name}-{self.category}-{self.seed}"
        self.table_name = self.settings.table_name(self.method.name)

    def open(self, folder: Path) -> None:
        self.journal = Journal(folder / f"{self.label}.jsonl")
        self.recorded = keyed(self.journal.records, self.journal.path)
        self.journal.records = []

    def played(self, dataset: Dataset, parser: str) -> Iterator[tuple[Request, Record]]:
        """What the method asked for, as far as its records go, with what came back: the generator
        is fed its record."""
        for questions in (
            [self.questions] if self.method.stream else [[question] for question in self.questions]
        ):
            steps = self.method.begin(questions, self.settings, self.examples, lambda *_, **__: "")
            answer = None
            with suppress(StopIteration):
                while True:
                    asked = steps.send(answer)
                    answer = None
                    if isinstance(asked, Answer):
                        continue
                    known = [(one, self.recorded.get(key)) for key, one in each(asked)]
                    if any(record is None for _, record in known):
                        break
                    yield from known
                    how = dataset, parser, self.isolated
                    found = [record.candidate(one.question, *how) for one, record in known]
                    answer = self.with_names(asked, found, dataset)

    def with_names(
        self, asked: Sequence[Request], found: list[Candidate], dataset: Dataset
    ) -> list[Candidate]:
        """Candidates whose answers are called as their problem's others of the same value; a name
        once given stays."""
        if dataset.named is None:
            return found
        problems = [one.question.index for one in asked for _ in one.samples]
        votes = [(one.vote, of) for one, of in zip(found, problems, strict=True)]
        for problem in dict.fromkeys(problems):
            texts = [text for vote, of in votes if of == problem for text in vote.answers]
            self.names[problem] = dataset.named(texts, self.names.get(problem))
        named = (tuple(map(self.names[of].get, vote.answers)) for vote, of in votes)
        return [
            replace(one, vote=one.vote._replace(answers=answers))
            for one, answers in zip(found, named, strict=True)
        ]

    def reusable(self, request: Request, key: Key, asked: str, headings: bool) -> Record | None:
        """Another run's sample of this prompt and seed; not yet run where its program has something
        else around it."""
        record = self.others.pop(key, None)
        if record is None or record.prompt != asked or isinstance(request, Run):
            return None
        self.reused += 1
        ran_otherwise = request.library or request.composed or not self.alike
        return record.not_run(request.fences, headings) if ran_otherwise else record


@dataclass(eq=False)
class Driver:
    """Answers the requests of all streams' generators, from the journal or from models by role
    (else the `solver`)."""

    models: Mapping[str, LanguageModel]
    sandbox: Sandbox
    pack: PromptPack
    dataset: Dataset
    settings: RunSettings
    progress: Progress
    in_flight: int | None
    guess: int = 0  # problems of a stream that are asked with the tools that it has now
    tasks: asyncio.TaskGroup | None = None
    unavailable: list[tuple[int, Stream, Record]] = field(
        default_factory=list
    )  # numbered, not yet recorded
    lacked: int = 0  # samples not to be had
    in_a_row: int = 0
    on_their_way: set[asyncio.Task] = field(
        default_factory=set
    )  # each from its request to its record
    failed: TroveLiteError | None = None

    async def run(self, streams: Sequence[Stream]) -> None:
        """Run all streams to their end, by entered models. Raises the first failure, having stopped
        everything else."""
        in_flight = self.in_flight or sum(model.concurrency for model in set(self.models.values()))
        self.generating = Gate(in_flight)
        self.executing = Gate(self.sandbox.workers)
        self.live = asyncio.Semaphore(in_flight)
        try:
            async with asyncio.TaskGroup() as self.tasks:
                syncing = self.tasks.create_task(self._sync(streams))
                await asyncio.wait(
                    [self.tasks.create_task(self._stream(stream)) for stream in streams]
                )
                syncing.cancel()
            return self._settle(self.lacked)
        except BaseExceptionGroup as group:
            failure = first_failure(group)
            if isinstance(failure, TroveLiteError):
                failure = self.failed or failure
        raise failure  # not in there: see `models.base.gather`

    async def _sync(self, streams: Sequence[Stream]) -> None:
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            for stream in streams:
                await asyncio.to_thread(stream.journal.sync)

    async def _stream(self, stream: Stream) -> None:
        if stream.method.stream:
            stream.learned = await self._follow(stream, stream.questions)
        elif stream.questions:
            await asyncio.wait(
                [self.tasks.create_task(self._alone(stream, q)) for q in stream.questions]
            )

    async def _alone(self, stream: Stream, question: Question) -> None:
        async with self.live:  # the rest of the problems wait here, as small as can be
            await self._follow(stream, [question])

    async def _follow(self, stream: Stream, questions: Sequence[Question]) -> object:
        """Feed one generator to its end, and return what it returns; samples that are surely wanted
        are begun ahead.

        Where models or sandbox cannot keep up, the stream with most problems to go is served first,
        and of its samples those of the next problem: all streams then end together, as soon as can
        be.
        """
        steps = stream.method.begin(questions, stream.settings, stream.examples, self.pack.say)
        begun: dict[Key, asyncio.Task] = {}
        ahead = stream.method.ahead if stream.method.stream else None
        early = enumerate(ahead(questions, stream.settings)) if questions and ahead else iter(())
        answer = None
        place = 0
        window = max(LOOKAHEAD, self.guess)
        order = []
        while True:
            for later, attempts in itertools.islice(early, window):
                self._begin(stream, attempts, 2 * (later - len(questions)) + 1, begun)
                order += [one.question for one in attempts[:1]]
            try:
                asked = steps.send(answer)
            except StopIteration as end:
                stream.guesses.drop(*list(stream.guesses.known))
                return end.value
            if isinstance(asked, Answer):
                problem = stream.problems[asked.question.index]
                stream.answered[problem.index] = asked.candidate.sample
                graded = asked.candidate.vote.answers[:1]
                at_once = isinstance(problem.gold, float) and None not in map(as_number, graded)
                verdict = partial(self._verdict, asked.candidate, problem)
                stream.correct[problem.index] = (
                    verdict() if at_once else await asyncio.to_thread(verdict)
                )
                self.progress.update(stream.label, stream.correct)
                answer = None
                place = place + 1
                window = 1
            else:
                rank = 2 * (place - len(questions)) if stream.method.stream else FILLER
                unsure = [one for one in asked if any(key not in begun for key, _ in each([one]))]
                keys = self._begin(stream, asked, rank, begun)
                self._guess(stream, alike(unsure, order[place + 1 : place + 1 + self.guess]))
                answer = [await begun.pop(key) for key in keys]
                if self.dataset.named:
                    answer = await asyncio.to_thread(stream.with_names, asked, answer, self.dataset)
                window = 0

    def _verdict(self, candidate: Candidate, problem: Problem) -> bool | None:
        """Whether a chosen program is right, None where that took too long, as the table will have
        it."""
        answers = candidate.vote.answers
        if candidate.status != "ok" or (answers and not self.dataset.named):
            return judge_output(list, self.dataset.correct, answers, [problem.gold])[1]
        return self.dataset.judge_output(candidate.output, problem.question, problem.gold)[1]

    def _begin(
        self, stream: Stream, requests: Sequence[Request], rank: int, begun: dict[Key, asyncio.Task]
    ) -> list:
        asked = list(each(requests))
        for key, request in asked:
            if key not in begun:
                begun[key] = self.tasks.create_task(self._answered(stream, request, key, rank))
        return [key for key, _ in asked]

    def _guess(self, stream: Stream, requests: Sequence[Attempt]) -> None:
        for key, request in each(requests):
            if key not in stream.recorded and key not in stream.others:  # these need no model
                prompt = prompt_of(request, self.pack)
                sent = as_sent(stream, request, key, prompt, self.pack, self.settings.sampling)
                model = self.models.get(request.role, self.models["solver"])
                stream.guesses.add(
                    key, sent, partial(self._early, stream, model), self.tasks.create_task
                )

    async def _early(self, stream: Stream, model: LanguageModel, guess: Guess) -> Completion:
        what, seed, how = guess.sent
        async with self.generating(FILLER + 1):
            guess.begun = True
            stream.guesses.asked += 1
            return (await model.complete(what, [seed], **how))[0]

    async def _answered(self, *what) -> Candidate:
        """`_answer`; where a model fails for good, replies on their way, which may be billed, are
        recorded first."""
        task = asyncio.current_task()
        try:
            return await self._answer(*what)
        except ModelError as error:
            self.failed, self.generating.closed = self.failed or error, True
            if others := self.on_their_way - {task}:
                self.progress.say(
                    f"failed; waiting for {len(others)} replies on their way, {LAST_SECONDS:g} s at most"
                )
                self.on_their_way.discard(task)  # which others are not to wait for
                await asyncio.wait(others, timeout=LAST_SECONDS)
            raise
        finally:
            self.on_their_way.discard(task)

    async def _answer(self, stream: Stream, request: Request, key: Key, rank: int) -> Candidate:
        """One sample or run, from the journal or new: generated, parsed, run and recorded."""
        prompt = request.program if isinstance(request, Run) else prompt_of(request, self.pack)
        asked = content_hash(prompt)
        headings = HEADING in str(prompt)
        record = stream.recorded.pop(key, None)
        if record is None and (record := stream.reusable(request, key, asked, headings)):
            record = record if record.status else await self._run(record, request, stream, rank)
            stream.journal.append(record.as_json())
        elif record is None:
            lacked = self.lacked
            record = await self._new(stream, request, key, prompt, rank)
            if record.finish_reason == UNAVAILABLE:
                self._hold(stream, record)
            elif isinstance(request, Run) and self.unavailable:
                # it says nothing of the server, and may hang on what was not to be had: it waits
                # with it
                self.unavailable.append((self.lacked, stream, record))
            else:
                self.in_a_row = 0
                self._settle(lacked)
                stream.journal.append(record.as_json())
        elif (record.prompt, record.mode) != (asked, request.mode) or not record.fits(request):
            raise DamagedFile(
                f"{stream.journal.path}: {key.stage} sample {key.sample} of problem {key.problem} was recorded "
                "for another prompt; the journal is from other settings or was edited: choose another --out"
            )
        how = request.question, self.dataset, self.settings.parser, stream.isolated
        if record.is_long:
            candidate = await asyncio.to_thread(record.candidate, *how)
        else:
            candidate = record.candidate(*how)
        stream.left_out += candidate.left_out + getattr(request, "left_out", 0)
        return candidate

    async def _new(
        self, stream: Stream, request: Request, key: Key, prompt: str | Messages, rank: int
    ) -> Record:
        asked = content_hash(prompt)
        if isinstance(request, Run):
            return await self._run(Record.of_run(key, request, asked), request, stream, rank)
        model = self.models.get(request.role, self.models["solver"])
        what, seed, how = sent = as_sent(
            stream, request, key, prompt, self.pack, self.settings.sampling
        )
        if (completion := await stream.guesses.take(key, sent)) is None:
            async with self.generating(rank) as gate:
                self.on_their_way.add(asyncio.current_task())
                try:
                    (completion,) = await model.complete(what, [seed], **how)
                except (PromptRefused, SampleUnavailable) as error:
                    why = REFUSED if isinstance(error, PromptRefused) else UNAVAILABLE
                    return Record.missing(key, request, asked, why, str(error))
                except ModelError:  # which stops the run: nothing else is asked for
                    gate.closed = True
                    raise
        chat = not isinstance(as_spoken(what, model.chat), str)
        record = Record.of(
            key, request, asked, completion, headings=HEADING in str(prompt), chat=chat
        )
        return await self._run(record, request, stream, rank)

    async def _run(self, record: Record, request: Request, stream: Stream, rank: int) -> Record:
        """A sample's program run, where it is to be, or one of the method's own, and its
        outcome."""
        if getattr(request, "runs", True) and record.too_long:
            return structs.replace(record, status="no_code", error=record.too_long)
        how = request, self.dataset, self.settings.parser, stream.isolated
        program = (
            await asyncio.to_thread(record.program, *how)
            if record.is_long
            else record.program(*how)
        )
        if program is None:
            return record.read() if request.mode else record
        own = isinstance(request, Run) or request.composed
        if not program.strip() and (
            self.settings.parser != "official" or own
        ):  # there, nothing at all succeeds
            return structs.replace(record, status="no_code")
        files = stream.problems[request.question.index].files
        async with self.executing(rank):
            execution = await (
                self.sandbox.run(program, files=files) if files else self.sandbox.run(program)
            )
        return record.executed(execution)

    def _hold(self, stream: Stream, record: Record) -> None:
        """A sample not to be had is recorded once one asked for later is had: until then the server
        may be at fault."""
        self.lacked += 1
        self.in_a_row += 1
        self.unavailable.append((self.lacked, stream, record))
        self.progress.missing += 1
        if self.in_a_row >= PATIENCE:
            raise ModelError(
                f"{PATIENCE} samples in a row could not be had, the last because: {record.error}; "
                "run the same command again to ask for them again"
            )

    def _settle(self, upto: int) -> None:
        """Record the first so many samples that could not be had."""
        while self.unavailable and self.unavailable[0][0] <= upto:
            _, stream, record = self.unavailable.pop(0)
            stream.journal.append(record.as_json())


def prompt_of(request: Attempt, pack) -> str | Messages:
    if request.prompt is not None:
        return request.prompt
    worded = request.wording and pack.has(request.question.category, request.wording)
    stage = request.wording if worded else request.stage
    return pack.render(request.question, stage, request.shown, **request.values)


def as_sent(
    stream: Stream, request: Attempt, key: Key, prompt: str | Messages, pack, sampling
) -> tuple:
    """What a model is given for a sample: the prompt, the sample's seed, and what else `complete`
    takes."""
    seed = sample_seed(stream.seed, request.question, key.phase, key.stage, key.sample, key.round)
    what = prompt if isinstance(prompt, str) else [Message(*message) for message in prompt]
    stop = pack.stops.get(request.stage) if request.prompt is None else None
    drawn = ({} if stop is None else {"stop": stop}) | dict(request.sampling)
    return what, seed, {"sampling": replace(sampling, **drawn)} if drawn else {}


def first_failure(error: BaseException) -> BaseException:
    """Of what went wrong at once, the one to report: an interrupt, else an expected error, else the
    first."""
    flat = (
        map(first_failure, error.exceptions) if isinstance(error, BaseExceptionGroup) else [error]
    )
    return min(flat, key=lambda e: (isinstance(e, Exception), not isinstance(e, TroveLiteError)))
