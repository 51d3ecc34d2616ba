"""Simulated runs of which the truth is known: what `coverage` tries intervals, tests and plans on.

Question q has a difficulty, normal on the logit (mean -1.6, SD 2: 22 % accuracy, and
variances over problems and samples like those of recorded TROVE runs in counting; mean -1, SD 0.6:
10 %, and more noise than difference between problems, like geometry); a run adds an effect of its
own, normal on the logit of a *sample* being right; a score is 1 where most of K = 15 samples are
right. A second method's questions differ by a normal of SD `problem_sd` on the logit. What is
estimated is the mean over all such questions and runs, by quadrature.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats
from scipy.special import expit

K = 15
GRID = np.linspace(-16, 16, 8001)
VOTE = stats.binom.sf(K // 2, K, expit(GRID))
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(120)


@dataclass(frozen=True)
class Truth:
    """Two methods; `categories` equal parts of the problems, each with runs of its own."""

    problems: int
    runs: int
    run_effect: float = 0.0
    problem_sd: float = 0.0
    categories: int = 1
    run_effect_b: float | None = None  # None: as the first method's
    ease: float = -1.6  # of a question, on the logit of one sample: its mean
    spread: float = 2.0  # and its SD
    difference: float = 0.0  # of the two methods' means
    unlike: float = 0.0  # how far apart the categories' ease is, from the hardest to the easiest
    single: int = 0  # categories, the easiest ones, of which there is a single run

    @property
    def strata(self) -> np.ndarray | None:
        return np.arange(self.problems) % self.categories if self.categories > 1 else None

    @property
    def eases(self) -> np.ndarray:
        """The mean ease of each category."""
        return self.ease + self.unlike * np.linspace(-0.5, 0.5, self.categories)

    def mean(self, ease: float | None = None) -> float:
        """The mean of the first method over all questions and runs (of this ease, instead of
        all)."""
        spread = np.sqrt(self.spread**2 + self.problem_sd**2 + self.run_effect**2)
        eases = self.eases if ease is None else np.array([ease])
        return float(
            np.mean([WEIGHTS @ majority(each + spread * NODES) for each in eases]) / WEIGHTS.sum()
        )

    def shifted(self) -> float:
        """The ease of the first method's questions that puts its mean `difference` above the
        second's."""
        return optimize.brentq(
            lambda ease: self.mean(ease) - self.mean() - self.difference, -12, 12
        )


def majority(logit: np.ndarray) -> np.ndarray:
    """Chance that most of K samples are right, each with this logit."""
    return np.interp(logit, GRID, VOTE)


def run_effects(truth: Truth, size: float, runs: int, rng: np.random.Generator) -> np.ndarray:
    effects = rng.normal(0, size, (truth.categories, runs))
    return effects[np.zeros(truth.problems, dtype=int) if truth.strata is None else truth.strata]


def drawn(ease: np.ndarray, effects: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(effects.shape) < majority(ease[:, None] + effects)).astype(float)


def one_method(truth: Truth, rng: np.random.Generator) -> np.ndarray:
    """Scores (problems, runs)."""
    ease = rng.normal(0, truth.spread, truth.problems)
    ease += truth.eases[truth.strata if truth.unlike else np.zeros(truth.problems, dtype=int)]
    scores = drawn(ease, run_effects(truth, truth.run_effect, truth.runs, rng), rng)
    if truth.single:
        scores[truth.strata >= truth.categories - truth.single, 1:] = np.nan
    return scores


def two_methods(
    truth: Truth, rng: np.random.Generator, shift: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of both methods on the same questions, the first's easier by `shift` on the logit."""
    ease = rng.normal(truth.ease, truth.spread, truth.problems)
    systems = []
    second = truth.run_effect if truth.run_effect_b is None else truth.run_effect_b
    for size, more in ((truth.run_effect, shift), (second, 0.0)):
        own = ease + more + rng.normal(0, truth.problem_sd, truth.problems)
        systems.append(drawn(own, run_effects(truth, size, truth.runs, rng), rng))
    return systems[0], systems[1]
