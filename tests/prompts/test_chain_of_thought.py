"""The released chains of thought: the tested question last, and which data sets have them."""

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.files import public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.prompts import load_pack


@pytest.fixture(autouse=True)
def _released():
    if not all(path.is_file() for path in (*public_paths("latm"), *public_paths("bbh"))):
        pytest.skip("the data folder holds no LATM prompts: run `trove-lite fetch latm` or set TROVE_LITE_DATA")


def test_tasks_made_anew_have_them_and_other_data_sets_do_not():
    made = load_dataset("bbh_made")
    question = made.load("schedule_meeting")[0].question
    assert load_pack("chain_of_thought", made).render(question, "cot").endswith("\nA:")
    with pytest.raises(TroveLiteError, match="no released chains of thought for data set 'math'"):
        load_pack("chain_of_thought", load_dataset("math"))
