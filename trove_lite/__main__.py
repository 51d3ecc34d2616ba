"""`python -m trove_lite` is the command `trove-lite`. Ctrl-C waits until it can be answered in a line."""

import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})

from .cli import main  # noqa: E402

if __name__ == "__main__":
    raise SystemExit(main())
