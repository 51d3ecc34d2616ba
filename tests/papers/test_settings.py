"""The re-evaluation's Table 4: what is printed, what presets have, and what runs had."""

import json

from papers.reeval import table4

from ..simulated import candidates


def test_samples_are_counted_and_live_runs_say_the_rest(tmp_path):
    about = {
        "kind": "live",
        "settings": {
            "methods": ["trove"],
            "time_limit": 12.0,
            "sampling": {"top_p": 0.9, "temperature": 1.0, "max_tokens": 99},
        },
        "methods": {"trove": {"interval": 50}},
    }
    (tmp_path / "run.json").write_text(json.dumps(about))
    table = table4(candidates(problems=2, k=6), [tmp_path]).set_index(["hyperparameter", "method"])
    assert table.loc[("num_return_sequences", "TROVE"), "runs"] == "2"
    assert table.loc[("num_return_sequences", "PRIMITIVE"), "runs"] == "6"
    found = {name: table.loc[(name, "TROVE"), "runs"] for name in ("trim_steps", "exec_timeout", "top_p")}
    assert found == {"trim_steps": "50", "exec_timeout": "12.0", "top_p": "0.9"}
    assert table.loc[("trim_steps", "TROVE"), ["published", "paper_preset", "official_preset"]].tolist() == [
        "500",
        "200",
        "500",
    ]
    assert table.loc[("exec_timeout", "PRIMITIVE"), "runs"] == ""
