"""What CREATOR's released program does and its paper does not say, or says otherwise: read there, not computed.

No number at hand shows these. Each row names the files of qiancheng0/CREATOR in which it was read, at its last commit
`55b794a` where no other is named. What can be computed about the program stands in `creator` and `creator_data`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from .finding import Finding, finding

LAST, FIRST = "55b794a", "8fd0d41"
#: Read in generate_CREATOR.py: how often a program is repaired, and a tool that does not run made again.
REPAIRS, RETRIES = 3, 3
STAGES = 2  # calls of an attempt without either: a tool, and a program that calls it


class Read(NamedTuple):
    """A statement of the paper and what its program does; `holds` is None where the paper is silent."""

    place: str
    check: str
    stated: str
    program: str
    files: str
    importance: float
    holds: bool | None = False
    note: str = ""


#: The stages of an attempt, and how its program is run.
ATTEMPT = (
    Read(
        "§3.4",
        "how many repairs a program gets",
        "errors are repaired; no number is given",
        f"{REPAIRS}, and 0 in its README and at its first commit",
        f"generate_CREATOR.py, README.md; generate_CREATOR.py at {FIRST}",
        2,
        None,
        "Figure 5 sets several numbers side by side, Tables 2 to 4 name none",
    ),
    Read(
        "§3.1",
        "how often a tool is made",
        "not mentioned that it is made again",
        f"up to {1 + RETRIES} times, until one runs alone: an attempt takes {STAGES} to {STAGES + RETRIES + REPAIRS} "
        "calls",
        "generate_CREATOR.py",
        2,
        None,
        "PoT and Entangled have no such step; the last tool is used whether it runs or not",
    ),
    Read(
        "§4.4 and Tables 2 and 3",
        "thoughts may come before the code",
        "half of the settings have chain of thought",
        "a fence is put before each reply that does not begin with one: the thoughts are run as a program and the code "
        "behind them is not, so every such reply fails and costs a repair",
        "generate_CREATOR.py, utils.py",
        2,
        note=f"not so at the first commit, {FIRST}, whose data Table 2 fits",
    ),
    Read(
        "§3.3",
        "how long a program may run",
        "not mentioned",
        "1 second, in which an import of sympy alone may not end on a busy machine",
        "utils.py",
        2,
        None,
        "so accuracy and repairs depend on the machine",
    ),
    Read(
        "§3.4",
        "a failed program comes back with its error",
        "with the traceback of the error",
        "one that ends by sys.exit(3) comes back with no text at all",
        "utils.py",
        1,
        note="the message is cut out of what the program wrote to the error stream, and it wrote nothing",
    ),
    Read(
        "§3.3",
        "what becomes of a fence that is not closed",
        "not mentioned",
        "all of the reply fails, blocks that are closed too",
        "utils.py",
        1,
        None,
    ),
    Read(
        "§1, §3.1 and Table 1",
        "tools are used again",
        "reusability is what sets CREATOR apart",
        "each problem's tool is made for it and then forgotten; none reaches another but in the transfer of §5.1",
        "generate_CREATOR.py",
        2,
        None,
        "no table says what reuse is worth, nor what a toolbox would be",
    ),
)

#: Baselines, hints and prompts.
SETTINGS = (
    Read(
        "Table 4",
        "CREATOR-Entangled gets the hints of its rows",
        "no hint, utility hint and all hint",
        "the names of two prompts with hints are set and never read: the prompt without hints is used in all three",
        "generate_toolcreate_whole.py, Creation/prompt_lib",
        2,
        note="the prompts set are CREATOR's; those for Entangled lie in the folder, and no script names them",
    ),
    Read(
        "§4.1",
        "what Tool Use is told where WolframAlpha has no result",
        "not mentioned",
        "an empty list, as text, where no part of the reply is an input or a result; the sentence for failures only "
        "where the service fails",
        "utils.py, generate_tooluse.py",
        1,
        None,
    ),
    Read(
        "§4.1 and Tables 2 to 4",
        "each setting has a script that runs it",
        "Standard, w/ and w/o CoT, w/o Demo., seven categories, and accuracy by difficulty (Figure 4)",
        "no script chooses Standard's prompts or sorts by difficulty; Entangled's asks precalculus alone; of each pair "
        "w/ and w/o CoT one has prompts, and w/o Demo. has none",
        "all scripts and prompt_lib folders",
        1,
    ),
    Read(
        "released prompts",
        "worked examples show what is asked for",
        "fixed demonstrations (§3.1, §3.2)",
        "not always: on MATH one of PoT prints another marker than the one that is read, the last of Tool Use ends "
        "with the answer of the one before (48, for -6), the last repair doubles where its question says equal, the "
        "last decision sums where its question asks for a product; on TabMWP one of PoT adds a number to a list, a "
        "TypeError; on the Creation Challenge hints lack the heading that those of test questions have",
        "prompt_pot.md, prompt_tooluse_part2.md, prompt_rectification.md, prompt_CREATOR_decision.md, "
        "prompt_CREATOR_creation_utilityhint.md",
        2,
    ),
)

#: Grading and counting, and whether the program runs.
COUNTING = (
    Read(
        "program, math_normalize.py",
        "numbers in two lines are no single answer",
        "an answer is compared to the standard one (§3.4)",
        "line breaks are deleted first: of a gold answer that is text, 3 and 6 in two lines are right for 36",
        "math_normalize.py, grader.py",
        1,
        note="not for gold answers that are floats, as in the 3201 problems: there two lines have no value",
    ),
    Read(
        "§3.4",
        "accuracy counts a question once",
        "right answers over questions",
        f"at its first commit, {FIRST}, each number printed that is right adds one, to the right ones and to the total",
        f"generate_pot.py, generate_toolcreate_whole.py, generate_CREATOR.py and generate_tooluse.py at {FIRST}",
        2,
        note="repaired at the last commit; Table 2's cells are counts over the categories' sizes, which speaks against "
        "it there",
    ),
    Read(
        "Tables 2 and 3",
        "the first commit's CREATOR and Entangled run on MATH and TabMWP",
        "two tables",
        "both stop with a NameError: the mode of hints is set for the Creation Challenge alone, and read for all",
        f"generate_CREATOR.py and generate_toolcreate_whole.py at {FIRST}",
        2,
    ),
    Read(
        "§5.1",
        "each question of a set has a tool made for it",
        "each is first answered alone, in the normal way",
        "the first question's text replaces the blank of the prompt before the loop can set the others: tools for the "
        "second and third are made from the first",
        "test_transfer.py",
        2,
        note="so the accuracy without transfer has tools transferred blindly in two of three questions",
    ),
    Read(
        "§5.1",
        "what the normal way is in tool transfer",
        "CREATOR with unchanged settings",
        "no worked example of a tool, no tool made again, no repair",
        "test_transfer.py, ToolTransfer/prompt_lib",
        2,
    ),
    Read(
        "Table 5",
        "the script of tool transfer runs",
        "100 sets",
        "it imports a function that is no more, calls it with another order of arguments, and looks for its prompts in "
        "a folder spelt otherwise",
        "test_transfer.py, utils.py",
        1,
    ),
    Read(
        "program, requirements.txt",
        "the packages listed are those needed",
        "four to be installed",
        "subprocess is among them, which Python brings; cprint, pylatexenc, sympy and IPython are not",
        "requirements.txt, README.md, grader.py",
        1,
        note="the folders code_exec and results, which scripts write to, are not there either",
    ),
)

READ = (*ATTEMPT, *SETTINGS, *COUNTING)


def program_findings() -> Iterator[Finding]:
    """A finding for each statement that was read in the program."""
    for row in READ:
        source = f"read in {row.files}" + ("" if FIRST in row.files else f" at {LAST}")
        yield finding(
            2,
            "CREATOR",
            row.place,
            row.check,
            stated=row.stated,
            computed=f"in the program {row.program}",
            holds=row.holds,
            importance=row.importance,
            note="; ".join(filter(None, (row.note, source))),
        )
