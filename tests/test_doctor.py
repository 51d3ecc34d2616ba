"""The doctor asks a model by the path that a run uses, and says what it learned."""

import pandas
import pytest

from trove_lite.cli import doctor

from .models.misbehaving import CHATS, Server, changed, choice, error


def asked(server):
    return doctor._model(f"{server.url}?retries=0#tiny")


def chats(handler, body):
    (choice() if "messages" in body else error(404, CHATS))(handler, body)


def continues(handler, body):
    (error(404, "Not Found") if "messages" in body else choice())(handler, body)


@pytest.mark.parametrize(
    ("answers", "usable", "said"),
    [
        ({}, True, "continues texts and chats; seeds count; tokens reported; context 4096; "),
        ({"always": chats}, False, "only chats: use --chat on"),
        ({"always": continues}, True, ": continues texts; seeds"),
        ({"always": changed(usage=None)}, True, "tokens not reported"),
        ("aabc", True, "seeds do not count"),
        ("aaaa", True, "two seeds gave the same text"),
        ("aaab", True, "seeds count;"),
    ],
)
def test_what_a_model_can_do_is_told(answers, usable, said):
    texts, how = (
        ([], answers)
        if isinstance(answers, dict)
        else ([choice(text=text) for text in answers], {})
    )
    with Server(*texts, **how) as server:
        line = asked(server)
    assert line.usable == usable
    assert said in line.text


def test_a_port_where_nobody_is_ends_in_one_line():
    with Server() as server:
        pass
    line = asked(server)
    assert not line.usable
    assert "no connection" in line.text
    assert "\n" not in line.text


def test_levels_say_what_they_let_through_answers_are_out_of_reach():
    with Server() as server:
        found = {line.name: line for line in doctor.examine(f"{server.url}#tiny")}
    assert found["model"].usable
    assert f"pandas {pandas.__version__}" in found["programs"].text
    if not found["full"].usable:
        pytest.skip("this machine does not offer the level full")
    assert "read every file that you can read, gold answers too" in found["seccomp"].text
    assert found["answers"].usable
    assert "cannot read" in found["answers"].text


IMPORT = "import pandas as pd\n"


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("import seaborn\nprint(42)", "42"),
        (
            f"{IMPORT}d = pd.DataFrame({{'t': [1.0, None]}})\nd['t'].fillna(5, inplace=True)\nprint(d['t'].sum())",
            "6.0",
        ),
        (f"{IMPORT}s = pd.Series([10, 20], index=['x', 'y'])\nprint(s[1])", "20"),
        (
            f"{IMPORT}d = pd.DataFrame({{'t': [1, 2]}})\nv = d['t'].values\nv[0] = 9\nprint(d['t'][0])",
            "9",
        ),
        (
            f"{IMPORT}d = pd.DataFrame({{'t': ['a']}})\nd['t'].replace('a', 'c', inplace=True)\nprint(d['t'][0])",
            "c",
        ),
    ],
)
def test_programs_have_seaborn_and_pandas_as_the_papers_mean_it(box, program, shown):
    (ran,) = box.run_many([program], progress=False)
    assert (ran.status, ran.output) == ("ok", f"{shown}\n")
