"""Small questions about made tables: five a table, each of a kind of its own; three ask for a number, two for a text.

Tables are made by rule from a seed. Those of the twelve fixed seeds, and their questions, are kept by `freeze.py` as
the data set `practice_tables`.
"""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

NAME = "practice_tables"
TABLES = 12
SHOWN = 3  # rows of the preview


class Theme(NamedTuple):
    """What a table is about: its rows' names, the groups that they fall in, and one column of numbers."""

    row: str
    names: tuple[str, ...]
    group: str
    groups: tuple[str, ...]
    amount: str
    largest: int

    @classmethod
    def of(
        cls, row: str, names: str, group: str, groups: str, amount: str, largest: int
    ) -> "Theme":
        """A theme whose names and groups are written with commas between."""
        return cls(row, tuple(names.split(", ")), group, tuple(groups.split(", ")), amount, largest)


class Table(NamedTuple):
    """Rows of a name, a group and an amount; names differ, and so do amounts."""

    theme: Theme
    rows: tuple[tuple[str, str, int], ...]

    def text(self) -> str:
        """The table as its file holds it."""
        header = (self.theme.row, self.theme.group, self.theme.amount)
        return "".join("\t".join(map(str, cells)) + "\n" for cells in (header, *self.rows))


class Asked(NamedTuple):
    """A question: its kind, its text, the answer, and the parts of the table that it names."""

    kind: str
    text: str
    gold: int | str
    names: dict[str, str]


THEMES = (
    Theme.of(
        "Boat",
        "Petrel, Marigold, Old Tom, Swift, Lantern, Kestrel, Bramble, Nimbus, Harrier, Juniper",
        *("Harbour", "Sandwick, Torr, Elmouth", "Catch in kg", 900),
    ),
    Theme.of(
        "Orchard",
        "Hill Side, Long Acre, Mill, Abbey, Fox, Stone, Lower, Chapel, Ridge, Marsh",
        *("Fruit", "apple, pear, plum, quince", "Trees", 240),
    ),
    Theme.of(
        "Tram",
        "A1, A2, B1, B2, C4, C5, D7, D8, E9, F3",
        "Depot",
        "North, Canal, Works",
        "Passengers",
        4000,
    ),
    Theme.of(
        "Player",
        "Ada, Bela, Ciro, Dora, Emre, Fay, Goran, Hana, Ivo, Jun",
        *("Team", "Reds, Blues, Greens", "Points", 80),
    ),
)


def made_table(number: int) -> Table:
    """Table `number`, from 0."""
    return drawn_table(random.Random(f"{NAME} {number}"), THEMES[number % len(THEMES)])


def drawn_table(draw: random.Random, theme: Theme) -> Table:
    """A table of seven to ten rows: no group without one, and one group ahead of the others."""
    names = draw.sample(theme.names, draw.randint(7, len(theme.names)))
    amounts = draw.sample(range(theme.largest // 10, theme.largest), len(names))
    groups = []
    while not _one_leads(groups):
        groups = [*theme.groups, *draw.choices(theme.groups, k=len(names) - len(theme.groups))]
    draw.shuffle(groups)
    return Table(theme, tuple(zip(names, groups, amounts, strict=True)))


def _one_leads(groups: Sequence[str]) -> bool:
    counts = sorted(map(groups.count, set(groups)))
    return len(counts) > 1 and counts[-1] > counts[-2]


def _how_many(table: Table, draw: random.Random) -> Asked:
    theme, group = table.theme, draw.choice(table.rows)[1]
    text = f"In how many rows is {theme.group} {group}?"
    gold = sum(row[1] == group for row in table.rows)
    return Asked("how many", text, gold, {"column": theme.group, "value": group})


def _total(table: Table, draw: random.Random) -> Asked:
    theme, group = table.theme, draw.choice(table.rows)[1]
    text = f"What is the sum of {theme.amount} over the rows whose {theme.group} is {group}?"
    gold = sum(row[2] for row in table.rows if row[1] == group)
    return Asked(
        "total", text, gold, {"column": theme.group, "value": group, "amount": theme.amount}
    )


def _difference(table: Table, draw: random.Random) -> Asked:
    theme, ((one, _, a), (other, _, b)) = table.theme, draw.sample(table.rows, 2)
    text = f"By how much do {one} and {other} differ in {theme.amount}?"
    return Asked(
        "difference",
        text,
        abs(a - b),
        {"name": theme.row, "one": one, "other": other, "amount": theme.amount},
    )


def _extreme(table: Table, draw: random.Random) -> Asked:
    theme, least = table.theme, draw.random() < 0.5
    text = f"Which {theme.row} has the {'lowest' if least else 'highest'} {theme.amount}?"
    gold = (min if least else max)(table.rows, key=lambda row: row[2])[0]
    return Asked(
        "lowest" if least else "highest", text, gold, {"name": theme.row, "amount": theme.amount}
    )


def _most_frequent(table: Table, draw: random.Random) -> Asked:
    groups = [row[1] for row in table.rows]
    text = f"Which {table.theme.group} stands in the most rows?"
    return Asked(
        "most frequent", text, max(set(groups), key=groups.count), {"column": table.theme.group}
    )


QUESTIONS: Sequence[Callable[..., Asked]] = (
    _how_many,
    _extreme,
    _total,
    _most_frequent,
    _difference,
)


def questions_about(number: int) -> list[Asked]:
    """The five questions about table `number`."""
    table, draw = made_table(number), random.Random(f"{NAME} {number} questions")
    return [ask(table, draw) for ask in QUESTIONS]


def about(table: Table, file: str) -> str:
    """What stands before a question: the path at which a program finds the table, and its first rows."""
    return f"File: {file}\nPreview: {preview(table)}"


def preview(table: Table) -> str:
    """The header and the first rows, in markdown."""
    header, *rows = (line.split("\t") for line in table.text().splitlines()[: SHOWN + 1])
    lines = [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines)
