"""Whatever a model writes and a program prints, its row can be saved, and the next prompt can be sent."""

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from trove_lite import load_candidates
from trove_lite.candidates import as_arrow, as_frame, save_table
from trove_lite.datasets.math import MATH
from trove_lite.methods.base import Attempt
from trove_lite.models.base import Completion
from trove_lite.running.finish import candidate_rows
from trove_lite.running.record import Key, Record
from trove_lite.sandbox.worker import Execution

from ..scripted import problems

PROBLEM = problems("math", "counting")[0]
KEY = Key("stream", 0, "primitive", 0, 0)
SAME = {"model": "m", "provenance": "live", "run": "r", "method": "primitive", "seed": 0}
RAISES = "```python\nraise ValueError('\ud800')\n```"
DEFINES = '**Tools**\n```python\ndef f(x):\n    """\\ud800"""\n```'
#: Any characters at all, lone surrogates and controls among them, and pieces that parsers look for.
odd = st.sampled_from("\ud800\udfff\0\x1b\x9b\r\n\u202ea1.")
anything = st.text(st.characters(codec=None), max_size=60) | st.text(odd, max_size=40)
looked_for = ["```python\n", "```", "**Tools**\n", "**Solution**\n", "import a\n", "    return f'\\ud800{x}'\n"]
looked_for += ["def f(x):\n", '    """\\ud800"""\n']
pieces = st.lists(st.sampled_from(looked_for) | anything, max_size=8).map("".join)
executions = st.builds(
    Execution, st.sampled_from(["ok", "error"]), anything, st.booleans(), anything, st.just(0.1), st.just(0.1)
)


@settings(deadline=None, max_examples=50)
@given(pieces, executions, st.sampled_from(["official", "strict"]))
@example(RAISES, Execution("error", "\ud800", False, "ValueError: \ud800", 0.1, 0.1), "strict")
@example(DEFINES, Execution("ok", "9" * 5000, False, "", 0.1, 0.1), "strict")
def test_every_row_can_be_saved_and_is_read_back(text, execution, parser):
    request = Attempt(PROBLEM.question, "primitive", range(1))
    record = Record.of(KEY, request, "hash", Completion(text, 1, 1, "stop", 0.1)).executed(execution)
    rows = candidate_rows([record], {0: PROBLEM}, MATH, ("primitive",), parser)
    frame = as_frame(as_arrow([SAME | row for row in rows]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.parquet"
        save_table(frame, path)
        (row,) = load_candidates(path).itertuples()
    assert row.response == text.encode("utf-8", "replace").decode()
    assert row.output == execution.output.encode("utf-8", "replace").decode()
    for tool in record.parsed(parser).tools:
        "".join(tool).encode()  # it is shown in prompts
