"""The table questions, where the data folder holds them."""

import pytest

from trove_lite.datasets import files, load_problems


@pytest.fixture(scope="session")
def table_problems():
    """The problems of one data set by name; skips where the data folder does not hold them."""
    loaded = {}

    def problems(name):
        if not all(path.is_file() for path in files.public_paths(name)):
            pytest.skip(f"the data folder lacks files: run `trove-lite fetch {name}` or set TROVE_LITE_DATA")
        if name not in loaded:
            loaded[name] = load_problems(name, name)
        return loaded[name]

    return problems
