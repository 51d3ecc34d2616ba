"""The page in a real browser, where there is one: it opens, shows, filters, and runs nothing that a
model wrote."""

import re
import shutil
import subprocess
from html import unescape

import pandas as pd
import pytest

from trove_lite.candidates import save_run
from trove_lite_analysis import view

from ..simulated import candidates

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--virtual-time-budget=20000",
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium or Chrome is installed")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    frame = candidates(problems=6, categories=("counting", "algebra"))
    save_run(folder, frame.assign(solution="print(1) # " + frame["mode"].astype(str)), {})
    return view.write_page([folder])


def dom(page, address, tmp_path) -> str:
    """What a browser makes of a page at an address of it."""
    words = [
        BROWSER,
        *FLAGS,
        f"--user-data-dir={tmp_path}",
        "--dump-dom",
        f"{page.as_uri()}{address}",
    ]
    found = subprocess.run(words, capture_output=True, text=True, timeout=240).stdout
    assert 'data-ready="true"' in found
    return re.sub(
        r'<script type="(text/plain|module)".*?</script>|<style>.*?</style>',
        "",
        found,
        flags=re.DOTALL,
    )


@pytest.fixture(scope="module", params=["with its policy", "without"])
def unsafe(hostile, request, tmp_path_factory):
    """The hostile page, also where no policy would stop a script."""
    text = hostile.read_text()
    if request.param == "without":
        text, taken = re.subn(r"<meta http-equiv.*?>", "", text)
        assert taken == 1
    path = tmp_path_factory.mktemp("unsafe") / "view.html"
    path.write_text(text)
    return path


def test_nothing_that_a_model_wrote_runs_or_becomes_an_element(unsafe, tmp_path):
    listed = dom(unsafe, "", tmp_path)
    for found in (
        listed,
        dom(unsafe, unescape(re.search(r'href="(#/[^"]+)"', listed)[1]), tmp_path),
    ):
        assert "data-ran" not in found.partition("<head")[0]
        assert "<img" not in found
        assert "<script" not in found
        assert "&lt;img src=x" in found
        assert r"\x1b[2J" in found


def test_formulas_of_a_gold_an_answer_and_an_output_are_drawn(tmp_path):
    frame = candidates(problems=1, categories=("counting",))
    half = r"$\frac{1}{2}$"
    frame = frame.assign(solution="print(1)", output=f"{half} and $<b>x", answer=half)
    frame["answers"] = pd.Series([[half]] * len(frame))
    save_run(tmp_path, frame, {})
    found = dom(view.write_page([tmp_path]), "#/math/counting/0", tmp_path)
    cards = re.findall(r'<article class="card.*?</article>', found, re.DOTALL)
    assert max(card.count("<mfrac>") for card in cards) == 3  # the answer, its vote, the output
    assert all("&lt;b&gt;x" in card for card in cards)
    rules = found.partition('<article class="card')[0]
    assert rules.count("<mfrac>") > 2 * rules.count('<th scope="row">')


FRAME = """<iframe src="{0}" width="400" height="900"></iframe><script>
const frame = document.querySelector("iframe");
const measure = () => {{
  const page = frame.contentDocument?.documentElement;
  if (!page?.dataset.ready) return setTimeout(measure, 100);
  const wide = [...page.querySelectorAll(".formula")].filter((one) => one.scrollWidth > one.clientWidth);
  document.body.dataset.width = page.scrollWidth;
  document.body.dataset.scrolling = wide.length;
}};
measure();
</script>"""


@pytest.mark.parametrize("address", ["", "#/math/counting/0"])
def test_a_page_is_no_wider_than_a_phone_whose_long_formulas_scroll_by_themselves(
    tmp_path, address
):
    long = "$" + " + ".join(rf"\frac{{x_{{{n}}}}}{{y}}" for n in range(16)) + "$"
    frame = candidates(problems=2, categories=("counting",))
    frame = frame.assign(solution="print(1)", output=long, answer=long, error="x" * 500)
    save_run(tmp_path, frame, {})
    page = view.write_page([tmp_path])
    (framed := tmp_path / "frame.html").write_text(FRAME.format(page.as_uri() + address))
    words = [BROWSER, *FLAGS, "--allow-file-access-from-files", f"--user-data-dir={tmp_path}"]
    words += ["--dump-dom", framed.as_uri()]
    found = subprocess.run(words, capture_output=True, text=True, timeout=240).stdout
    assert int(re.search(r'data-width="(\d+)"', found)[1]) <= 400
    assert int(re.search(r'data-scrolling="(\d+)"', found)[1]) > 0


def test_verdicts_alone_have_no_rule_that_chooses(tmp_path):
    frame = candidates(problems=2, categories=("counting",)).assign(answer=None)
    frame["answers"] = pd.Series([None] * len(frame))
    save_run(tmp_path, frame, {})
    found = dom(view.write_page([tmp_path]), "", tmp_path)
    heads = re.findall(r'class="dt-column-title"[^>]*>([^<]+)', found)
    assert heads
    assert not any("stage" in head for head in heads)
    shown = dom(tmp_path / "view.html", "#/math/counting/0", tmp_path)
    assert "The log tells verdicts and no answers, so no rule has votes." in shown
    assert "no answer</i>" not in shown


def test_a_link_opens_one_problem_with_the_votes_of_each_rule(page, tmp_path):
    found = dom(page, "#/math/counting/3?run=trove+%C2%B7+run1", tmp_path)
    shown = re.search(r'<section id="problem".*?>(.*)</section>', found, re.DOTALL)[1]
    assert ">counting 3" in shown
    assert shown.count('<article class="card') == 15
    assert re.findall(r'<section aria-label="(\w+)">', shown) == ["import", "create", "skip"]
    assert "two stage described" in shown
    assert "print(1) # import" in shown
