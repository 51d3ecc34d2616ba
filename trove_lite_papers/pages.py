"""How an essay shows things: the answer at its head, which the definitions below make, and figures
with words for each.

A place on a page is Jupyter's `display_id`: what is shown there is replaced later. Outside of a
notebook it is printed.
"""

from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from matplotlib.figure import Figure

from trove_lite_analysis.sentence import Sentence

from .tables import write

LATER = "The answer stands here when the cells below have run."
NO_FIGURE = "nothing to draw: the table says why"


class Caption(str):
    """What a figure shows, in small letters beneath it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<p><small>{escape(self)}</small></p>"


class Answer:
    """The answer of an essay, a sentence and a figure, at the place where it is made: filled when
    it is called."""

    def __init__(self) -> None:
        self.sentence = display(Sentence(LATER), display_id=True)
        self.figure = display(Caption(), display_id=True)
        self.caption = display(Caption(), display_id=True)

    def __call__(self, sentence: Sentence, figure: Figure | None, folder: str | Path = "") -> None:
        """Shows both there, and saves the figure."""
        _put(self.sentence, sentence)
        if figure is None:
            _put(self.figure, Caption(NO_FIGURE))
            return
        write(figure, folder)
        _picture(self.figure, figure)
        _put(self.caption, Caption(getattr(figure, "caption", "")))


def save(thing: object, folder: str | Path, name: str = "") -> pd.DataFrame | None:
    """`write` it, and show a figure with its caption. Returns a table."""
    if thing is None:
        print(NO_FIGURE)
        return None
    write(thing, folder, name)
    if isinstance(thing, pd.DataFrame):
        return thing
    if caption := getattr(thing, "caption", ""):
        print(caption)
    _picture(None, thing)
    return None


def _picture(place: object, figure: Figure) -> None:
    """A figure, with its title and caption as words for those who do not see it."""
    if InteractiveShell.initialized():  # elsewhere nobody sees it
        alt = f"{figure.get_suptitle()}. {getattr(figure, 'caption', '')}"
        _put(place, figure, metadata={"image/png": {"alt": alt}})
        plt.close(figure)


def _put(place: object, thing: object, **how: object) -> None:
    """Instead of what is at that place; there is none outside of a notebook, and then it is
    printed."""
    (place.update if place else display)(thing, **how)
