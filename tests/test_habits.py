"""What somebody who uses, cites or attacks the kit is told is so."""

import re
import subprocess
from types import SimpleNamespace

import pytest
import yaml

from trove_lite import __version__
from trove_lite.sandbox.isolation import LETS_THROUGH

from . import conftest
from .conftest import ROOT


def tracked(*patterns):
    words = ["git", "ls-files", *patterns]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines()]


def test_nobody_is_told_to_install_a_package_that_is_not_there():
    """Whoever registers the name would run code on their machine."""
    wrong = re.compile(r"pip install\s+(-U\s+)?['\"]?trove-lite\b")
    paths = [path for path in tracked("*.py", "*.md", "*.ipynb", "*.yml") if path.is_file()]
    assert len(paths) > 200
    assert [path for path in paths if wrong.search(path.read_text("utf-8"))] == []


def test_every_level_that_a_run_may_ask_for_is_promised_something():
    text = (ROOT / "SECURITY.md").read_text()
    assert {level for level in LETS_THROUGH if f"| `{level}`" not in text} == set()


def test_the_data_card_names_files_that_are_there_and_of_one_form():
    text = (ROOT / "results" / "README.md").read_text()
    card = yaml.safe_load(text.split("---")[1])
    named = {config["config_name"]: config["data_files"] for config in card["configs"]}
    assert len(named) == len(card["configs"])
    for pattern in named.values():
        assert list((ROOT / "results").glob(pattern)), pattern


def test_the_citation_is_of_this_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == __version__


@pytest.mark.parametrize(("longest", "told"), [(0.01, [conftest.LONG]), (30, [])])
def test_a_test_that_takes_too_long_says_so(longest, told):
    item = SimpleNamespace(user_properties=[], get_closest_marker=lambda _: None)
    hook = conftest.timed(item)
    next(hook)
    conftest.turns()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conftest, "LONGEST", longest)
        with pytest.raises(StopIteration):
            next(hook)
    assert [name for name, _ in item.user_properties] == told
