"""Tool-makers since TroVE: CRAFT, ReGAL, test-time tool evolution, and a control of our own that makes no tool."""

from pathlib import Path

WORDS, FILES = Path(__file__).parent / "words", Path(__file__).parent / "registry.csv"
