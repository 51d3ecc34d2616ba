"""Demonstrations on tables: prompts in TROVE's modes about tables drawn without end, and programs that read them.

The data set's kinds of questions, in its words; its twelve tables are not among those drawn here. Four of the themes
are the data set's: columns of the others have to be copied from the preview.
"""

import random
import re
from typing import NamedTuple

from trove_lite.datasets.base import Question
from trove_lite.methods.base import as_asked
from trove_lite.prompts.practice import practice_prompt

from .demonstrations import Written, break_program, pick_name
from .dice import Dice
from .programs import Tool
from .table_questions import NAME, QUESTIONS, THEMES, Asked, Theme, about, drawn_table

FILES = 100  # data/practice_tables/0.tsv and so on
MAIN_SLIP, FAILURE = 0.25, 0.12
OWN = (
    Theme.of(
        "Ship", "Dawn, Albatross, Kite, Union, Delta, Rose, Pilot", "Port", "Oslo, Cork", "Crew", 90
    ),
    Theme.of(
        "Town",
        "Elm, Ford, Holt, Wick, Dale, Bury, Stow",
        "County",
        "East, West, Mid",
        "Houses",
        900,
    ),
    Theme.of(
        "Film",
        "Echo, Snow, Rain, The Key, Salt, Home, Iron",
        "Genre",
        "drama, comedy",
        "Minutes",
        200,
    ),
    Theme.of(
        "Pupil", "Ann, Bob, Cy, Di, Ed, Flo, Gus, Hal", "Class", "5a, 5b, 6a", "Days absent", 40
    ),
    Theme.of(
        "Lake",
        "Blue, Deep, Long, Cold, Green, Still, Mirror",
        "Region",
        "North, South",
        "Depth in m",
        300,
    ),
)


class Kind(NamedTuple):
    """How questions of a kind are answered: with a tool, called {T}, and without; and how it is mistaken."""

    tool: Tool
    call: str
    code: str
    slip: tuple[str, str]


def _kind(
    names: str, parameters: str, body: str, call: str, code: str, slip: tuple[str, str]
) -> Kind:
    return Kind(
        Tool(tuple(names.split()), parameters, (body,)), f"print({{T}}(df, {call}))", code, slip
    )


def _extreme(which: str, other: str, names: str) -> Kind:
    return _kind(
        names,
        "df, name, amount",
        f"return df.loc[df[amount].{which}(), name]",
        '"{name}", "{amount}"',
        f'print(df.loc[df["{{amount}}"].{which}(), "{{name}}"])',
        (which, other),
    )


KINDS = {
    "how many": _kind(
        "count_rows rows_with",
        "df, column, value",
        "return (df[column] == value).sum()",
        '"{column}", "{value}"',
        'print((df["{column}"] == "{value}").sum())',
        ("==", "!="),
    ),
    "total": _kind(
        "sum_where total_of",
        "df, column, value, amount",
        "return df[df[column] == value][amount].sum()",
        '"{column}", "{value}", "{amount}"',
        'print(df[df["{column}"] == "{value}"]["{amount}"].sum())',
        ("sum", "max"),
    ),
    "difference": _kind(
        "difference_between gap",
        "df, name, one, other, amount",
        "return abs(df[df[name] == one][amount].sum() - df[df[name] == other][amount].sum())",
        '"{name}", "{one}", "{other}", "{amount}"',
        'values = df.set_index("{name}")["{amount}"]\nprint(abs(values["{one}"] - values["{other}"]))',
        (" - ", " + "),
    ),
    "highest": _extreme("idxmax", "idxmin", "name_of_largest largest"),
    "lowest": _extreme("idxmin", "idxmax", "name_of_smallest smallest"),
    "most frequent": _kind(
        "most_frequent most_common",
        "df, column",
        "return df[column].value_counts().idxmax()",
        '"{column}"',
        'print(df["{column}"].value_counts().idxmax())',
        ("idxmax", "idxmin"),
    ),
}


def demonstrate_table(
    dice: Dice, mode: str, *, slips: bool = False, listed: bool | None = None
) -> tuple[str, str]:
    """A prompt in `mode` and a completion; in IMPORT mode `listed` says whether the toolbox holds the right tool."""
    draw = random.Random(dice.integer(0, 1 << 30))
    table, file = (
        drawn_table(draw, draw.choice((*THEMES, *OWN))),
        f"data/{NAME}/{draw.randrange(FILES)}.tsv",
    )
    asked = draw.choice(QUESTIONS)(table, draw)
    question = as_asked(Question(NAME, NAME, 0, asked.text, about(table, file)))
    toolbox = {}
    if mode == "import":
        toolbox = toolbox_for(dice, asked.kind, dice.random() < 0.5 if listed is None else listed)
    made = table_program(dice, mode, asked, file, toolbox)
    if slips and dice.random() < MAIN_SLIP:
        lines = made.tools or made.main
        lines[-1] = re.sub(*map(re.escape, KINDS[asked.kind].slip), lines[-1], count=1)
    if slips and dice.random() < FAILURE:
        break_program(dice, made)
    shown = [f"{name}({KINDS[kind].tool.parameters})" for kind, name in toolbox.items()]
    return practice_prompt(mode, question, shown), str(made)


def table_program(
    dice: Dice, mode: str, asked: Asked, file: str, toolbox: dict[str, str]
) -> Written:
    """A program in `mode` that answers, with the right tool where `toolbox`, kind → name, has it."""
    kind, name = KINDS[asked.kind], toolbox.get(asked.kind, "")
    made = Written([f'df = pd.read_table("{file}")'], [], [])
    if mode == "create":
        name = pick_name(dice, kind.tool)
        made.define(name, kind.tool)
    elif name:
        made.taken.append(name)
    made.main += (kind.call if name else kind.code).format(**asked.names, T=name).split("\n")
    return made


def toolbox_for(dice: Dice, kind: str, listed: bool) -> dict[str, str]:
    """Kind → the name of its tool, up to five others and, if `listed`, the right one, in random order."""
    others = [other for other in KINDS if other != kind and dice.random() < 0.4]
    found = dice.shuffled(others + [kind] * listed)
    return {key: dice.pick(KINDS[key].tool.names) for key in found}
