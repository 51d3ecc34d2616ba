"""A study of raters on a run of two methods on problems of somebody's own, whose every text is hostile."""

import pytest

from trove_lite_papers.raters.export import write_study

from ..view.conftest import run_folder


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """A study of four raters and all problems, hostile throughout."""
    folder = tmp_path_factory.mktemp("study")
    write_study([run_folder(folder)], folder / "study", raters=4, problems=100)
    return folder / "study"
