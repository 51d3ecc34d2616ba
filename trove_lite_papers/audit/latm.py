"""LATM's numbers, tasks and released chats against its paper (section 2 of the audit); settings: docs/latm.md."""

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from trove_lite.datasets.files import git_blob_of, pinned_file
from trove_lite.programs import statements
from trove_lite_papers.latm import bbh
from trove_lite_papers.latm.bbh import TITLES
from trove_lite_papers.latm.maker import code_in
from trove_lite_papers.latm.verifier import names_defined
from trove_lite_papers.tables import published_table, rows_of

from .printed import claim, claimed, counts_allowed

TEST_SIZES = range(200, 251)  # up to all 250 instances of a task's file
THREADS = 8  # of the released user, whose progress bar is not drawn again for the last of them
#: What the repository's listing, at the pinned commit, gives as git blobs of the tools for seven objects: by the task
#: for five. The files themselves are in no group that `fetch` brings.
SEVEN_OBJECTS = {"logical_deduction": "2b1f8e1b2d18c165805768a5356d894a3f03186d"}
SEVEN_OBJECTS |= {"tracking_shuffled_objects": "38aa018baf188878a5959418ab798de923edc9e4"}
LABELLED = re.compile(r"^Question: (.*?)\nAnswer: (.*?)$", re.MULTILINE | re.DOTALL)
FAILED = re.compile(r"^Failed to \w+ the function due to the error: (.*?)\. Please", re.MULTILINE)


def instances_tested():
    two = published_table("latm_table2")
    five = published_table("latm_table5")
    four = rows_of("latm_table4", metric="accuracy_pct")
    more = four.loc[~four["tool_user_model"].isin(two["tool_user_model"]), "value"]
    values = pd.concat(
        [two["accuracy_pct"], more, five.loc[five["method"] == "GPT-4 CoT", "accuracy_pct"]]
    )
    values = values[(values > 0) & (values < 100)]
    stated = int(claimed("latm", "test instances per dataset"))
    fit = {n: sum(bool(counts_allowed(v / 100, 3, n)) for v in values) for n in TEST_SIZES}
    best = max(fit, key=lambda n: (fit[n], n))
    fitting = fit[stated]
    most = fit[best]
    out = stated - best
    known = 100 / stated
    return fitting == len(values), locals()


def thoughts_tested():
    """Whether Table 5's own cells are counts over the test set, or over what Table 2 seems to be of."""
    values = [float(value) for value in rows_of("latm_table5", method="GPT-4 CoT")["accuracy_pct"]]
    stated = int(claimed("latm", "test instances per dataset"))
    fit = [n for n in TEST_SIZES if all(counts_allowed(value / 100, 3, n) for value in values)]
    left = f"not over {stated - THREADS} either, which fits most of Tables 2 and 4; they add up to {sum(values):.1f}"
    note = "" if stated in fit or stated - THREADS in fit else left
    return stated in fit, locals()


def listed(words: Mapping[str, str]) -> str:
    return "; ".join(f"{title} {text}" for title, text in words.items())


def one_answer_for_all(items: Mapping[str, Sequence[tuple[str, str]]]):
    two = rows_of("latm_table2", method="CoT")
    below = []
    best = {}
    for task, found in items.items():
        golds = [gold for _, gold in found]
        (_, tested), (_, whole) = (
            Counter(part).most_common(1)[0] for part in (golds[bbh.TESTED], golds)
        )
        n = len(golds[bbh.TESTED])
        every = f"{100 * whole / len(golds):.1f} % of all {len(golds)}"
        best[TITLES[task]] = f"{tested} of {n}, {100 * tested / n:.1f} % ({every})"
        if tested > 1:  # where every answer is another, one for all is right about as often as any
            below.append(
                two[(two["task"] == TITLES[task]) & (two["accuracy_pct"] < 100 * tested / n)]
            )
    rows = pd.concat(below) if below else two[:0]
    always = listed({title: best[title] for title in rows["task"].unique()} or best)
    below = [f"{r.task} {r.tool_user_model} {r.accuracy_pct}" for r in rows.itertuples()]
    return None if below else True, locals()


def questions_closed(items: Mapping[str, Sequence[tuple[str, str]]]):
    questions = [question for question, _ in items["schedule_meeting"]]
    lack = [question for question in questions if not question.rstrip().endswith(")")]
    return not lack, locals()


class Chat(NamedTuple):
    """A released chat: its turns, the last proposal, the questions to test with answers, the tests, the tool."""

    turns: Sequence[Mapping[str, str]]
    proposal: str
    labelled: list[tuple[str, str]]
    tests: str
    tool: str

    @classmethod
    def of(cls, turns: Sequence[Mapping[str, str]]) -> "Chat":
        """From the last three replies of a chat that came to its end, and what was said before the second of them."""
        by = {
            role: [t["content"] for t in turns if t["role"] == role]
            for role in ("user", "assistant")
        }
        return cls(
            turns, by["assistant"][-3], LABELLED.findall(by["user"][-2]), *by["assistant"][-2:]
        )


def asserted(code: str) -> list[object]:
    """What tests hold `ans` against: values, literal or kept under a name just before; else the text of it."""
    names = {}
    found = []
    for node in ast.walk(
        ast.Module(statements(code), [])
    ):  # breadth first, so in order within each body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = node.value
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            right = node.test.comparators[0]
            found.append(names.get(right.id, right) if isinstance(right, ast.Name) else right)
    return [literal(value) for value in found]


def literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return ast.unparse(value)


def answers_asserted(chats: Mapping[str, Chat]):
    other = {}
    count = 0
    total = 0
    for task, chat in chats.items():
        pairs = list(
            zip(asserted(code_in(chat.tests)), (gold for _, gold in chat.labelled), strict=False)
        )
        changed = [f"{value!r} for {gold}" for value, gold in pairs if str(value) != gold]
        total = total + len(pairs)
        count = count + len(changed)
        if changed:
            other[TITLES[task]] = f"{len(changed)} of {len(pairs)}, such as {changed[0]}"
    words = f"{count} of {total} asserted answers have another form: {listed(other)}"
    computed = words if other else f"all of {total} do"
    return not other, locals()


def calls_of(code: str) -> int:
    """How often a program calls its own functions outside of them."""
    names = names_defined(code)
    outside = [node for node in statements(code) if getattr(node, "name", None) not in names]
    nodes = [node for part in outside for node in ast.walk(part)]
    return sum(
        isinstance(node, ast.Call) and getattr(node.func, "id", "") in names for node in nodes
    )


def proposals_tried(chats: Mapping[str, Chat]):
    codes = [code_in(chat.proposal) for chat in chats.values()]
    calls = [calls_of(code) for code in codes]
    asserting = [code for code in codes if asserted(code)]
    calling = sum(map(bool, calls))
    most = max(calls)
    shown = claim("latm", "tool-proposing demonstrations")
    return (asserting == codes and min(calls) >= float(shown)) or None, locals()


def replies_once(chats: Mapping[str, Chat]):
    twice = [task for task, chat in chats.items() if any(a == b for a, b in pairwise(chat.turns))]
    return not twice, locals()


def errors_by_type(chats: Mapping[str, Chat]):
    """Whether what a chat says of errors begins with their type, as the program's messages do."""
    turns = [(TITLES[task], turn["content"]) for task, chat in chats.items() for turn in chat.turns]
    told = [(title, error) for title, text in turns for error in FAILED.findall(text)]
    other = [f"{title} {error}" for title, error in told if not re.match(r"[A-Za-z_]\w* ", error)]
    first = f": {other[0]}" if other else ""
    return not other if told else None, locals() if told else {**locals(), "note": ""}


def use_cases(chats: Mapping[str, Chat]):
    answers = [
        TITLES[task]
        for task, chat in chats.items()
        if re.search(r"^Answer:", chat.tool, re.MULTILINE)
    ]
    asked = [
        (TITLES[task], question in chat.tool)
        for task, chat in chats.items()
        for question, _ in chat.labelled
    ]
    same = [title for title, as_asked in asked if as_asked]
    other = {title for title, as_asked in asked if not as_asked}
    where = f" ({', '.join(answers)})" if answers else ""
    changed = f" (not {', '.join(sorted(other))}'s)" if other else ""
    return not answers and not other, locals()


def seven_objects(chats: Mapping[str, Chat]):
    blobs = {
        task: git_blob_of(pinned_file("latm", f"tools/{bbh.FILES[task]}.json"))
        for task in SEVEN_OBJECTS
    }
    same = [task for task, blob in SEVEN_OBJECTS.items() if blobs[task] == blob]
    return not same, locals()


def lengths(chats: Mapping[str, Chat]):
    """What one call costs before the question, in characters by task: the wrapped tool, and CoT's examples."""
    files = {task: pinned_file("latm", f"cot-prompts/{bbh.FILES[task]}.txt") for task in chats}
    texts = {
        task: file.read_text(encoding="utf-8").partition("-----\n")[2].strip()
        for task, file in files.items()
    }
    sizes = {TITLES[task]: (len(chats[task].tool), len(text)) for task, text in texts.items()}
    ratios = sorted(tool / words for tool, words in sizes.values())
    each = listed({title: f"{tool:,} and {words:,}" for title, (tool, words) in sizes.items()})
    return None, locals()
