"""Beside the papers' tool-makers: a control of our own that makes no tool."""

from pathlib import Path

WORDS = Path(__file__).parent / "words"
