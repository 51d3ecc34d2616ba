"""A rater in a real browser, where Playwright and one are: every answer by keyboard, on a page that is hostile."""

import shutil

import pytest

from papers.raters.answers import read_study
from papers.raters.export import PAGES

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.mark.skipif(BROWSER is None, reason="no chromium or Chrome is installed")
@pytest.mark.parametrize("width", [380, 1400])
def test_a_rater_answers_by_keyboard_and_the_file_is_read_back(study, width, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 700}).new_page()
        asked, failed = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(error))
        page.goto((study / PAGES / "rater1.html").as_uri())
        page.wait_for_selector("html[data-ready]")
        page.click("#start")
        said = []
        while page.is_visible("#item"):
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.evaluate("document.querySelectorAll('img, main script').length") == 0
            assert "</script><img src=x" in page.inner_text("#program")
            said.append(len(said) % 3 == 0)
            page.wait_for_timeout(260)  # a press at once would be a second one on the item before
            page.keyboard.press("1" if said[-1] else "2")
            page.keyboard.press("1")
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        download.value.save_as(tmp_path / "answers.json")
        assert page.evaluate("document.documentElement.dataset.ran") is None
        browser.close()
    assert failed == []
    assert {url.partition(":")[0] for url in asked} <= {"file", "blob"}
    table = read_study(study, [tmp_path / "answers.json"]).sort_values("item")
    assert table["said"].tolist() == said
    assert (table["seconds"] > 0.2).all()
    assert set(table["changes"]) == {0}
