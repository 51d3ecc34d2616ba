"""What a time limit buys, from programs that ran again."""

import pandas as pd
import pytest

from trove_lite_papers.reexecution import time_limits

from ..recorded.test_reexecute import row


def test_a_shorter_limit_loses_what_takes_longer():
    """Of two problems the second is only solved by a program that takes eight seconds."""
    rows = pd.DataFrame([row(0, "import", "a"), row(0, "create", "b"), row(1, "import", "c")])
    result = time_limits(rows.assign(execute_seconds=[0.5, 0.5, 8.0]), (1, 10)).set_index(
        ["measure", "limit"]
    )
    assert result.loc["two-stage", "value"].tolist() == [0.5, 1.0]
    assert result.loc["oracle", "gain"].tolist() == [0.0, 0.5]
    assert result.loc["finished", "value"].tolist() == [0.5, 1.0]
    assert result.loc[("pass@1", 1), "cpu_hours"] == pytest.approx(2 / 3600)
    assert result["value"].between(result["low"], result["high"]).all()


def test_a_limit_that_changes_nothing_is_bounded_by_the_rule_of_three():
    rows = [row(i, "import", "a") for i in range(60)]
    table = time_limits(pd.DataFrame(rows).assign(execute_seconds=0.5), (1, 10)).set_index(
        ["measure", "limit"]
    )
    for measure in ("two-stage", "oracle"):
        longer = table.loc[(measure, 10)]
        assert (longer["gain"], longer["gain_high"]) == (0, pytest.approx(3 / 60, rel=0.01))
        assert longer["gain_low"] == -longer["gain_high"]
    assert (table.xs(1, level="limit")[["gain", "gain_low", "gain_high"]] == 0).all(axis=None)
