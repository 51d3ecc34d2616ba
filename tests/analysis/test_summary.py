"""The summary counts what is there."""

from trove_lite.analysis.summary import summarise


def test_summary_counts_what_is_there(simulated):
    simulated = simulated[simulated["category"].isin(["counting", "number"])]
    summary = summarise(simulated)
    wanted = ("run0", "trove", "counting")
    (row,) = (r for r in summary["runs"] if (r["run"], r["method"], r["category"]) == wanted)
    part = simulated.query("method == 'trove' and category == 'counting' and run == 'run0'")
    assert row["candidates"] == len(part) == 90
    assert row["oracle_correct"] == part.groupby("problem")["correct"].any().sum()
    assert set(row["pass_at_5"]) == {"import", "create", "skip"}
    assert row["one_stage_correct"] <= row["oracle_correct"]


def test_what_could_not_be_judged_is_counted_apart(simulated):
    part = simulated.query("category == 'counting' and method == 'primitive'").copy()
    part["correct"] = part["correct"].astype("boolean")
    part.loc[(part["problem"] == 0) & (part["sample"] == 0), ["correct", "status"]] = [None, "error"]
    assert summarise(part)["runs"][0]["not_judged"] == 1
