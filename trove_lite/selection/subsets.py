"""Subsets of a problem's samples: all of them where they are few, else so many drawn at random."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import comb, prod
from numbers import Integral

import numpy as np
import numpy.typing as npt

from ..errors import TroveLiteError

FEW = 100  # so many subsets are all taken, even where fewer draws are asked for


def generator(seed: int) -> np.random.Generator:
    """Chance with a seed. Raises TroveLiteError for one that is none."""
    if not isinstance(seed, Integral) or seed < 0:
        raise TroveLiteError(f"seed {seed}: give a whole number from 0 on")
    return np.random.default_rng(seed)


def subsets_by_mode(
    modes: Sequence, k_per_mode: Mapping, *, seed: int, resamples: int = 1000
) -> npt.NDArray[np.bool_]:
    """Subsets with k samples of each mode, masks (draws, samples): all, if no more than `resamples`
    or `FEW`, else so many, drawn at random."""
    rng = generator(seed)
    modes = np.asarray(modes)
    parts = [(np.flatnonzero(modes == mode), k) for mode, k in k_per_mode.items()]
    if prod(comb(len(members), k) for members, k in parts) <= max(resamples, FEW):
        every = product(*(combinations(members, k) for members, k in parts))
        picks = np.array(
            [sum(each, ()) for each in every],
            dtype=int,
        )
    else:
        drawn = [
            members[rng.random((resamples, len(members))).argsort(axis=1)[:, :k]]
            for members, k in parts
        ]
        picks = np.concatenate(drawn, axis=1)
    masks = np.zeros(
        (len(picks), len(modes)),
        dtype=bool,
    )
    np.put_along_axis(masks, picks, True, axis=1)
    return masks
