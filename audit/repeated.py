"""Numbers that are printed twice, within a paper or in two: are they the same? Sections 1 and 2 of the audit."""

from .printed import Look, cell, claim, rows_of


def _setting(look: Look, name: str) -> float:
    return cell(look, "reeval_table4", "value", hyperparameter=name, method="TROVE")


def _said(look: Look, paper: str, quantity: str) -> float:
    return float(claim(look, paper, quantity))


def one_number(*numbers: float) -> tuple[bool, dict[str, float]]:
    """Whether numbers that should be one are the same; the fields are a, b, c."""
    return len(set(numbers)) == 1, dict(zip("abc", numbers, strict=False))


def time_limit(look: Look):
    return one_number(_said(look, "reeval", "exec_timeout changed from 100 to"), _setting(look, "exec_timeout"))


def trimming_interval(look: Look):
    return one_number(_setting(look, "trim_steps"), _said(look, "trove", "trim interval"))


def data_sets_of_gpt4(look: Look):
    tried, called = (
        _said(look, "trove", f"data sets {words}") for words in ("tried with GPT-4", "called representative")
    )
    return one_number(tried, called, rows_of(look, "trove_table3", model="GPT-4", metric="acc")["category"].nunique())


def longest_completion(look: Look):
    return one_number(_said(look, "creator", "max generation length"), 1024)  # read in CREATOR's utils.py


def creation_challenge_twice(look: Look):
    where = {"method": "CREATOR (w/o CoT)", "setting": "all hint", "metric": "accuracy_pct"}
    said = _said(look, "creator", "CREATOR on Creation Challenge")
    return one_number(said, cell(look, "creator_table4", "value", **where))


def cells_of_table4(look: Look):
    cells, off = 0, []
    for row in look("trove_table4").dropna(subset=["value"]).itertuples():
        table, where = ("trove_table2", {}) if row.model == "CodeLlama" else ("trove_table3", {"model": row.model})
        other = cell(look, table, "value", category="GQA", metric=row.metric, method=row.method, **where)
        cells += other == other
        if other == other and other != row.value:
            off.append(f"{row.model} {row.method} {row.metric} {row.value:g}, {table[-6:]} {other:g}")
    return not off, locals()


def originals_of_table2(look: Look):
    keys = ["category", "metric"]
    rows = look("trove_table7").merge(rows_of(look, "trove_table2", method="TROVE")[[*keys, "value"]], on=keys)
    differ = rows[rows["value"] != rows["original"]].itertuples()
    off = [f"{r.category} {r.metric} {r.original:g}, Table 2 {r.value:g}" for r in differ]
    return not off, locals()
