"""Numbers that are printed twice, within a paper or in two: are they the same? Sections 1 and 2 of the audit."""

from collections.abc import Callable, Sequence

from trove_lite_papers.tables import published_table, published_value, rows_of

from .printed import claimed


def setting(name: str) -> float:
    return published_value("reeval_table4", "value", hyperparameter=name, method="TROVE")


def one_number(read: Callable[[], Sequence[float]]) -> tuple[bool, dict[str, float]]:
    """Whether numbers that should be one are the same; the fields are a, b, c."""
    return len(set(numbers := read())) == 1, dict(zip("abc", numbers, strict=False))


HINTED = {"method": "CREATOR (w/o CoT)", "setting": "all hint", "metric": "accuracy_pct"}
ONE_NUMBER: dict[str, Callable[[], Sequence[float]]] = {
    "time_limit": lambda: (claimed("reeval", "exec_timeout changed from 100 to"), setting("exec_timeout")),
    "trimming_interval": lambda: (setting("trim_steps"), claimed("trove", "trim interval")),
    "data_sets_of_gpt4": lambda: (
        *(claimed("trove", f"data sets {words}") for words in ("tried with GPT-4", "called representative")),
        rows_of("trove_table3", model="GPT-4", metric="acc")["category"].nunique(),
    ),
    "longest_completion": lambda: (claimed("creator", "max generation length"), 1024),  # read in CREATOR's utils.py
    "creation_challenge_twice": lambda: (
        claimed("creator", "CREATOR on Creation Challenge"), published_value("creator_table4", "value", **HINTED)
    ),
}  # fmt: skip


def cells_of_table4():
    cells, off = 0, []
    for row in published_table("trove_table4").dropna(subset=["value"]).itertuples():
        table, where = ("trove_table2", {}) if row.model == "CodeLlama" else ("trove_table3", {"model": row.model})
        other = published_value(table, "value", category="GQA", metric=row.metric, method=row.method, **where)
        cells += other == other
        if other == other and other != row.value:
            off.append(f"{row.model} {row.method} {row.metric} {row.value:g}, {table[-6:]} {other:g}")
    return not off, locals()


def originals_of_table2():
    keys = ["category", "metric"]
    rows = published_table("trove_table7").merge(rows_of("trove_table2", method="TROVE")[[*keys, "value"]], on=keys)
    differ = rows[rows["value"] != rows["original"]].itertuples()
    off = [f"{r.category} {r.metric} {r.original:g}, Table 2 {r.value:g}" for r in differ]
    return not off, locals()
