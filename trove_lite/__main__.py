"""`python -m trove_lite` is the command `trove-lite`."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
