"""What a question, a problem and a data set are: all that the rest of the package knows of any of
them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import TroveLiteError
from ..limits import TookTooLong, within_limit

if TYPE_CHECKING:
    from PIL.Image import Image

DIFFICULTY = "level of difficulty"  # what levels are where nothing else is said
#: Names of one kind, in the order in which they are used or shown.
Names = tuple[str, ...]
#: Answers as canonical text, and whether they are right; None where nobody can tell.
Judged = tuple[list[str], bool | None]
#: Answers (the first is graded) and the gold one → whether they are right.
IsRight = Callable[[Sequence[str], object], bool]


class Question(NamedTuple):
    """A problem as a method may see it: without its gold answer. `context` is "" or what is asked
    about, as text."""

    dataset: str
    category: str
    index: int
    text: str
    context: str = ""


@dataclass(frozen=True)
class Problem:
    """A question with what is known of it. `question.index` counts from 0 in the data set's own
    order within its category. gold: what the data set's `correct` understands, of types that JSON
    has. level: what tables may split by, or "". files: what its programs may read: the name that
    they open → the file. picture: opens the image that the question is about, for people to see."""

    question: Question
    gold: object
    level: str = ""
    files: Mapping[str, Path] = field(default_factory=dict, hash=False)
    picture: Callable[[], "Image"] | None = field(default=None, hash=False, compare=False)

    dataset = property(lambda self: self.question.dataset)
    category = property(lambda self: self.question.category)
    index = property(lambda self: self.question.index)


Problems = tuple[Problem, ...]


def numbered(dataset: str, category: str, rows: Iterable[tuple]) -> Problems:
    """Problems, counted from 0, from rows of question, gold answer, and more of level, context,
    files, picture."""
    return tuple(
        Problem(Question(dataset, category, index, text, *more[1:2]), gold, *more[:1], *more[2:])
        for index, (text, gold, *more) in enumerate(rows)
    )


@dataclass(frozen=True)
class Dataset:
    """Problems, and how answers to them are read and judged.

    title: its name in print. categories, levels: in the order of tables; by: what levels mean.
    load: the problems of a category. read: what a program printed → its answers as canonical text,
    which votes compare.
    correct: whether answers (the first is graded) are right, given the gold one. examples: labelled
    problems of a category, apart from those that are tested. given: imports that every program
    begins with and that prompts list. other_rules: further rules of judgement, by name. like: the
    data set whose prompts serve this one too. judged: `correct` in words. listed: what official
    prompts list in place of `given`, as code, from a released file. looks: makes, of the run's
    `--vision`, who looks at images for programs (an `Eyes`). options: what makes the data set
    `name?option=value&…`. plain: what own prompts say of what programs may use, in place of what
    `like` says. model: who answers where nobody is named.
    logged: what logs of TroVE's program show behind its questions, and behind those of no other.
    renamed: words of `like`'s worked examples → those that replace them. read_for: `read`
    where answers hang on their question's text, which it is given too. named: what a problem's
    answers are called, where those of one value are one vote (`judge.votes`); None where votes
    compare texts.
    """

    name: str
    title: str
    categories: Names
    load: Callable[[str], Sequence[Problem]]
    read: Callable[[str], list[str]]
    correct: IsRight
    levels: Names = ()
    examples: Callable[[str], Sequence[Problem]] | None = None
    given: tuple[str, ...] = ()
    other_rules: Mapping[str, IsRight] = field(default_factory=dict, hash=False)
    like: str = ""
    by: str = DIFFICULTY
    judged: str = "by the rule of this data set (docs/datasets.md)"
    listed: Callable[[], tuple[str, ...]] | None = None
    looks: Callable[[str], object] | None = None
    options: "Callable[..., Dataset] | None" = None
    plain: str = ""
    model: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict, hash=False)
    read_for: Callable[[str, str], list[str]] | None = None
    named: Callable[..., dict[str, str]] | None = None
    logged: str = ""

    def shown(self, official: bool) -> tuple[str, ...]:
        """What prompts list as given, and a toolbox of imports begins with."""
        return self.listed() if official and self.listed else self.given

    def answers(self, output: str, question: Question) -> list[str]:
        """What a program printed, asked this question → its answers as canonical text; [] where
        that took too long."""
        return self.judge_output(output, question)[0]

    def judge_output(self, output: str, question: Question, *gold: object) -> Judged:
        """What a program printed → its answers, and whether they are right; None where that took
        too long, or where no gold answer is given."""
        asked = (question.text,) if self.read_for else ()
        return judge_output(self.read_for or self.read, self.correct, output, gold, *asked)


def judge_output(
    read: Callable, correct: Callable, output: str, gold: Sequence, *more: str
) -> Judged:
    """Answers and verdict by any rule; a text that takes too long has no answer, and no verdict.
    gold: one, or none."""
    answers: list[str] = []
    with suppress(TookTooLong):
        answers = within_limit(read, output, *more, of=(output,))
        if gold:
            return answers, within_limit(correct, answers, *gold, of=tuple(answers))
    return answers, None


def refuse_eyes(dataset: str, looks: object, spec: str | None) -> None:
    """Raise TroveLiteError where a data set has images and nobody looks at them, or the other way
    round."""
    if bool(looks) != bool(spec):
        what = "asks no --vision"
        if looks:
            what = "has images: give --vision http://HOST:PORT, transformers: or canned:FILE"
        raise TroveLiteError(f"data set {dataset} {what}")


def after_labelled(dataset: Dataset) -> Dataset:
    """The same data set, but the first ten problems of a category are not tested, and six of them
    are labelled. The 1st to 3rd to make a tool, the 6th to 8th to verify it, as LATM splits its
    files (LATM, section 4.1). Problems keep their numbers and the data set its name."""

    def labelled(category: str) -> Sequence[Problem]:
        found = dataset.load(category)
        return (*found[:3], *found[5:8])

    return replace(dataset, load=lambda category: dataset.load(category)[10:], examples=labelled)
