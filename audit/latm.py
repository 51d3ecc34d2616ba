"""LATM's program, tasks and released chats against its paper, as far as public files and print can tell.

The files are the six tasks, and the six chats in which GPT-4 made their tools; no model is asked and no program run.
What the program does otherwise than the paper says, and which setting does the same here, stands in docs/latm.md.
"""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from papers import published_table
from trove_lite.datasets import bbh
from trove_lite.datasets.files import git_blob_of, pinned_file
from trove_lite.errors import TroveLiteError
from trove_lite.methods.latm.maker import code_in
from trove_lite.methods.latm.proof import defined, syntax

from .creator_latm import TEST_SIZES
from .finding import Finding, Look, as_printed, claim, counts_allowed, finding, rows_of

#: Checks that need the six tasks' files.
CONSTANT = "accuracies without a tool against one answer for all instances"
CLOSED = "questions of Schedule Meeting end as their template does"
#: And those that need the released chats.
GOLDS = "the maker's tests assert the answers that they were given"
TRIED = "a proposed function is tried on the demonstrations"
TWICE = "the maker's chat holds each of its replies once"
ERRORS = "the released chats are this program's"
SEVEN = "tools for seven objects are tools of their own"
SHOWN = "a use case is a question as it was asked, and its solution"
LENGTHS = "a call with a tool costs as much as one with worked examples"

#: What the repository's listing, at the pinned commit, gives as git blobs of the tools for seven objects: by the task
#: for five. The files themselves are in no group that `fetch` brings.
SEVEN_OBJECTS = {
    "logical_deduction": "2b1f8e1b2d18c165805768a5356d894a3f03186d",
    "tracking_shuffled_objects": "38aa018baf188878a5959418ab798de923edc9e4",
}
THREADS = 8  # of the released user, whose progress bar is not drawn again for the last of them
LABELLED = re.compile(r"^Question: (.*?)\nAnswer: (.*?)$", re.MULTILINE | re.DOTALL)
FAILED = re.compile(r"^Failed to \w+ the function due to the error: (.*?)\. Please", re.MULTILINE)


class Chat(NamedTuple):
    """A released chat: all turns; of these the last proposal, the request for tests, the tests, the wrapped tool."""

    turns: Sequence[Mapping[str, str]]
    proposal: str
    request: str
    tests: str
    tool: str

    @classmethod
    def of(cls, turns: Sequence[Mapping[str, str]]) -> "Chat":
        """The last three replies of a chat that came to its end, and what was said before the second of them."""
        said = {role: [t["content"] for t in turns if t["role"] == role] for role in ("user", "assistant")}
        return cls(turns, said["assistant"][-3], said["user"][-2], *said["assistant"][-2:])

    @property
    def labelled(self) -> list[tuple[str, str]]:
        """The questions that were to be tested, with their answers."""
        return LABELLED.findall(self.request)


def latm_program_findings(missing: list[str], look: Look | None = None) -> list[Finding]:
    """LATM's findings on program and paper; what needs files that are not here is left out, and said."""
    look = look or as_printed()
    found = [_thoughts(look), _dispatched(), _shared()]
    try:
        found += tasks_findings({task: bbh.items(task) for task in bbh.FILES}, look)
    except TroveLiteError as error:
        missing.append(f"LATM's tasks: {error}")
    try:
        chats = {task: Chat.of(json.loads(_text(f"tools/{name}.json"))) for task, name in bbh.FILES.items()}
        found += [*chats_findings(chats, look), _seven(), _lengths(chats)]
    except TroveLiteError as error:
        missing.append(f"LATM's released chats: {error}")
    return found


def _report(place: str, check: str, **rest: object) -> Finding:
    return finding(2, "LATM", place, check, **rest)


@cache
def titles() -> dict[str, str]:
    """Task → what the paper's tables call it."""
    return dict(zip(bbh.FILES, published_table("latm_table2")["task"].unique(), strict=True))


def _text(path: str) -> str:
    return pinned_file("latm", path).read_text(encoding="utf-8")


def _listed(words: Mapping[str, str]) -> str:
    """What there is to say of each task, after its name."""
    return "; ".join(f"{titles()[task]} {said}" for task, said in words.items())


# ---- print, and what the program is read to do ----


def _thoughts(look: Look) -> Finding:
    """Whether Table 5's own cells are counts over the test set, or over what Table 2 seems to be of."""
    values = [float(value) for value in rows_of(look, "latm_table5", method="GPT-4 CoT")["accuracy_pct"]]
    stated = int(float(claim(look, "latm", "test instances per dataset")))
    fit = [n for n in TEST_SIZES if all(counts_allowed(value / 100, 3, n) for value in values)]
    return _report(
        "Table 5",
        "accuracies with GPT-4's chain of thought are counts over the test set",
        stated=f"{' % and '.join(map(str, values))} % of {stated}",
        computed=f"both are counts over {', '.join(map(str, fit)) or 'no size'} of {TEST_SIZES.start} to "
        f"{TEST_SIZES.stop - 1}",
        holds=stated in fit,
        importance=1,
        note=f"not over {stated - THREADS} either, which fits most of Tables 2 and 4; they add up to {sum(values):.1f}"
        if stated not in fit and stated - THREADS not in fit
        else "",
    )


def _dispatched(tasks: int = 6, known: int = 4, asked: int = 4) -> Finding:
    """How many of the tasks that are asked about have a tool, where both sets are drawn apart."""
    draws = math.comb(tasks, asked)
    chances = {
        both: math.comb(known, both) * math.comb(tasks - known, asked - both) / draws
        for both in range(max(0, known + asked - tasks), min(known, asked) + 1)
    }
    return _report(
        "§4.4",
        "of four tasks that the dispatcher is asked about two have no tool",
        stated="two are unseen, two have a tool",
        computed="as released, both fours are drawn apart: "
        + ", ".join(f"{both} have one {100 * chance:.0f} % of the time" for both, chance in chances.items()),
        holds=len(chances) == 1,
        importance=1,
        note="where all have one, no new tool is to be asked for; tooluser.ipynb, read",
    )


def _shared() -> Finding:
    """The released user's programs share one process."""
    return _report(
        "program",
        "an instance's answer comes of its own program",
        stated="the function calls are executed to solve the task",
        computed="all replies run in one process and share its globals, eight at a time; answers were not published",
        holds=None,
        importance=2,
        note="a reply that never assigns its answer takes the one that another left; tooluser.ipynb, read",
    )


# ---- the tasks ----


def tasks_findings(items: Mapping[str, Sequence[tuple[str, str]]], look: Look) -> Iterator[Finding]:
    """What the six tasks' questions and answers are like; `items` has all of each, in the file's order."""
    yield _constant(items, look)
    yield _closed([question for question, _ in items["schedule_meeting"]])


def _constant(items: Mapping[str, Sequence[tuple[str, str]]], look: Look) -> Finding:
    """Table 2's baselines beside the answer that is right most often."""
    two = rows_of(look, "latm_table2", method="CoT").set_index(["tool_user_model", "task"])["accuracy_pct"]
    below, always = [], {}
    for task, found in items.items():
        tested = Counter(gold for _, gold in found[bbh.TESTED]).most_common(1)[0][1]
        whole = Counter(gold for _, gold in found).most_common(1)[0][1]
        share, n = 100 * tested / len(found[bbh.TESTED]), len(found[bbh.TESTED])
        always[task] = f"{tested} of {n}, {share:.1f} % ({100 * whole / len(found):.1f} % of all {len(found)})"
        cells = two.xs(titles()[task], level="task")
        # where every answer is another, one for all is right about as often as any
        below += [(task, f"{titles()[task]} {model} {v}") for model, v in cells.items() if v < share and tested > 1]
    return _report(
        "Table 2",
        CONSTANT,
        stated=f"{len(two)} accuracies of CoT, from which gains are counted",
        computed=f"below the most frequent answer: {'; '.join(said for _, said in below) or 'none'}",
        holds=None if below else True,
        importance=2,
        note="the most frequent answer is right: " + _listed({task: always[task] for task in dict(below) or always}),
    )


def _closed(questions: Sequence[str]) -> Finding:
    lack = [question for question in questions if not question.rstrip().endswith(")")]
    return _report(
        "App. D",
        CLOSED,
        stated="“… choose the earliest one)”",
        computed=f"{len(lack)} of {len(questions)} questions lack the “)”",
        holds=not lack,
        importance=0.5,
        note="the notebook that makes them has it, but not in what it printed: the file is older; read" if lack else "",
    )


# ---- the released chats ----


def chats_findings(chats: Mapping[str, Chat], look: Look) -> Iterator[Finding]:
    """What the chats in which tools were made show of how they were made."""
    yield _golds(chats)
    yield _tried(chats, look)
    yield _twice(chats)
    yield _errors(chats)
    yield _shown(chats)


def asserted(code: str) -> list[object]:
    """What tests hold `ans` against: values, literal or kept under a name just before; else the text of it."""
    tree, names, found = syntax(code), {}, []
    for node in ast.walk(tree) if tree else ():  # breadth first, so in order within each body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = node.value
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            right = node.test.comparators[0]
            found.append(names.get(right.id, right) if isinstance(right, ast.Name) else right)
    return [_literal(value) for value in found]


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return ast.unparse(value)


def _golds(chats: Mapping[str, Chat]) -> Finding:
    other, total = {}, 0
    for task, chat in chats.items():
        pairs = list(zip(asserted(code_in(chat.tests)), (gold for _, gold in chat.labelled), strict=False))
        changed = [f"{value!r} for {gold}" for value, gold in pairs if str(value) != gold]
        total += len(pairs)
        if changed:
            other[task] = f"{len(changed)} of {len(pairs)}, such as {changed[0]}"
    count = sum(int(said.split()[0]) for said in other.values())
    return _report(
        "§3.1 and released chats",
        GOLDS,
        stated="unit tests on validation samples",
        computed=f"{count} of {total} asserted answers have another form: {_listed(other)}"
        if other
        else f"all of {total} do",
        holds=not other,
        importance=2,
        note="the maker writes the answer that it is held to, and nothing compares it with the one given; the user's "
        "program brings it into the given form, by code that knows the tasks",
    )


def _tried(chats: Mapping[str, Chat], look: Look) -> Finding:
    codes = [code_in(chat.proposal) for chat in chats.values()]
    calls, asserts = [_calls(code) for code in codes], sum(len(asserted(code)) > 0 for code in codes)
    shown = claim(look, "latm", "tool-proposing demonstrations")
    return _report(
        "§3.1 and released chats",
        TRIED,
        stated=f"a function to solve {shown} demonstrations, made again if it encounters errors",
        computed=f"what a reply holds is run: {sum(map(bool, calls))} of {len(calls)} proposals call their function "
        f"(at most {max(calls)}x), and {asserts} assert an answer",
        holds=(asserts == len(calls) and min(calls) >= float(shown)) or None,
        importance=1,
        note="a proposal that defines a function and calls nothing cannot fail",
    )


def _calls(code: str) -> int:
    """How often a program calls its own functions outside of them."""
    tree, names = syntax(code), defined(code)
    outside = [node for node in (tree.body if tree else ()) if getattr(node, "name", None) not in names]
    nodes = [node for part in outside for node in ast.walk(part)]
    return sum(isinstance(node, ast.Call) and getattr(node.func, "id", "") in names for node in nodes)


def _twice(chats: Mapping[str, Chat]) -> Finding:
    twice = [task for task, chat in chats.items() if any(a == b for a, b in pairwise(chat.turns))]
    return _report(
        "§4.1 and released chats",
        TWICE,
        stated="the response is appended to the history",
        computed=f"in {len(twice)} of {len(chats)} chats the last proposal stands twice",
        holds=not twice,
        importance=1,
        note="the maker reads, and pays for, its proposal twice in each later call" if twice else "",
    )


def _errors(chats: Mapping[str, Chat]) -> Finding:
    """Whether what a chat says of errors begins with their type, as the program's messages do."""
    told = [(task, words) for task, chat in chats.items() for t in chat.turns for words in FAILED.findall(t["content"])]
    other = [(task, words) for task, words in told if not re.match(r"[A-Za-z_]\w* ", words)]
    return _report(
        "released chats",
        ERRORS,
        stated="an error is told by its type and its text",
        computed=f"{len(other)} of {len(told)} errors are told by their text alone"
        + "".join(f": {titles()[task]} {words}" for task, words in other[:1]),
        holds=not other if told else None,
        importance=0.5,
        note="an older program made that chat" if other else "",
    )


def _shown(chats: Mapping[str, Chat]) -> Finding:
    answers = [task for task, chat in chats.items() if re.search(r"^Answer:", chat.tool, re.MULTILINE)]
    asked = [(task, question in chat.tool) for task, chat in chats.items() for question, _ in chat.labelled]
    changed = dict.fromkeys(task for task, same in asked if not same)
    return _report(
        "§3.1 and released chats",
        SHOWN,
        stated="demonstrations of how to convert a task into a function call",
        computed=f"{len(answers)} of {len(chats)} wrapped tools show the gold answers as well"
        + (f" ({', '.join(titles()[task] for task in answers)})" if answers else "")
        + f"; {sum(same for _, same in asked)} of {len(asked)} questions stand as they were asked"
        + (f" (not {', '.join(titles()[task] for task in changed)}'s)" if changed else ""),
        holds=not answers and not changed,
        importance=1,
        note="of the instances that verified the tool, not of tested ones; the user reads them before each question",
    )


def _seven() -> Finding:
    same = [
        task
        for task, blob in SEVEN_OBJECTS.items()
        if git_blob_of(pinned_file("latm", f"tools/{bbh.FILES[task]}.json")) == blob
    ]
    return _report(
        "released chats",
        SEVEN,
        stated=f"{len(SEVEN_OBJECTS)} chats are named after seven objects",
        computed=f"{len(same)} of them are, byte for byte, the chat on five objects",
        holds=not same,
        importance=1,
        note="by the git blobs that the repository lists; no table is on seven objects",
    )


def _lengths(chats: Mapping[str, Chat]) -> Finding:
    """Of what a user reads before the question: the wrapped tool, and the chain of thought's examples."""
    examples = {
        task: _text(f"cot-prompts/{name}.txt").partition("-----\n")[2].strip() for task, name in bbh.FILES.items()
    }
    return lengths_finding({task: (len(chat.tool), len(examples[task])) for task, chat in chats.items()})


def lengths_finding(sizes: Mapping[str, tuple[int, int]]) -> Finding:
    """What one call costs with a tool and without, in characters by task: the tool's, then the examples'."""
    ratios = [tool / words for tool, words in sizes.values()]
    return _report(
        "§4.3 and Table 2",
        LENGTHS,
        stated="O(nc) for CoT, O(nc + C) for LATM: c is one call of either",
        computed=f"before the question a tool has {min(ratios):.1f} to {max(ratios):.1f} times the characters of CoT's "
        "examples",
        holds=None,
        importance=1,
        note=_listed({task: f"{tool:,} and {words:,}" for task, (tool, words) in sizes.items()})
        + "; what is written is not published: the notebook 40_latm counts both in runs of one's own",
    )
