"""A page about a run whose every text is hostile."""

import pandas as pd
import pytest

from trove_lite import view
from trove_lite.candidates import save_run

from ..simulated import candidates

HOSTILE = (
    '</script><img src=x onerror="document.documentElement.dataset.ran=1"><script>alert(1)</script>'
    "&lt;b&gt; \x1b[2J\x00 \u202e tab\there {{program}} ${alert(1)} <!-- "
)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """A page about a run in which every text is hostile, names and categories too."""
    frame = candidates(problems=2, runs=2, categories=("counting",))
    texts = ("model", "run", "category", "level", "response", "solution", "tools", "output", "error", "answer")
    frame = frame.astype(dict.fromkeys([*texts, "status"], object))
    for name in texts:
        frame[name] = frame[name].astype(str) + HOSTILE
    frame.loc[frame["status"] == "ok", "answers"] = pd.Series([[HOSTILE]] * len(frame))
    path = tmp_path_factory.mktemp("hostile")
    save_run(path, frame, {"kind": "simulated"})
    return view.write_page([path])
