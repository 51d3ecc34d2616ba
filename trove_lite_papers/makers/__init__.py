"""Beside the papers' tool-makers: a control of our own that makes no tool, and the public files of
CRAFT's toolsets."""

from pathlib import Path

WORDS = Path(__file__).parent / "words"
FILES = Path(__file__).parent / "registry.csv"
