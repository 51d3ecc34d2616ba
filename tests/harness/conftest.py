"""Real files of other harnesses: tests that run only when asked for, by `make test-harness` or by path."""

from pathlib import Path

HERE = Path(__file__).parent


def asked_for(config) -> bool:
    paths = (Path(argument.split("::")[0]).resolve() for argument in config.args)
    return any(path == HERE or HERE in path.parents for path in paths)


def pytest_ignore_collect(config):
    """Any other run of pytest passes this folder by: it needs .venv-harness."""
    return None if asked_for(config) else True


def pytest_configure(config):
    """The programs' own warnings are no errors of ours."""
    if asked_for(config):
        config.addinivalue_line("filterwarnings", "default")
