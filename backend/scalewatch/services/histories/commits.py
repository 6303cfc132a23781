"""Commits of a history: the window that is looked at, and the step of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import compress
from math import isfinite
from operator import mul
from typing import Final, NamedTuple

import orjson
from sqlalchemy.orm import Session

from scalewatch.modelling import (
    CONSTANT,
    Growth,
    Mark,
    Model,
    Term,
    Verdict,
    parse_growth,
)
from scalewatch.services.commits.find import find_commit, newest_commits
from scalewatch.services.commits.lineage import Lineage, lineage
from scalewatch.services.commits.main_line import MOST_COMMITS
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.regressions.effects import FARTHER
from scalewatch.services.series.standing import growth_or_none
from scalewatch.storage import tables
from scalewatch.storage.judgements import verdicts

MOST_SHOWN: Final = 5_000
"""Commits of a history that has all."""

ASIDE: Final = 4
"""One commit more is read for each so many that are shown: some left the main line."""


class Axis(StrEnum):
    """The quantity that spaces the commits of a history."""

    COMMIT = "commit"
    DATE = "date"


class Measure(StrEnum):
    """The quantity that a history shows over commits."""

    VALUE = "value"  # at the largest setting
    EXPONENT = "exponent"


class Span(StrEnum):
    """How many of the newest commits are looked at."""

    FEW = "100"
    USUAL = "400"
    ALL = "all"

    @property
    def limit(self) -> int:
        """The number of commits."""
        return MOST_SHOWN if self is Span.ALL else int(self)


@dataclass(frozen=True, slots=True)
class Window:
    """The newest commits of a project's line, at most `limit`.

    Parameters
    ----------
    before
        A commit as `find_commit` takes it; only older ones are looked at.
    """

    before: str | None = None
    limit: int = MOST_COMMITS


NEWEST: Final = Window()


@dataclass(frozen=True, slots=True)
class LinePart:
    """The part of a line in a window; `next` is the `before` of the older window.

    None if nothing is older.
    """

    line: Lineage
    next: str | None


def part_of(session: Session, project: tables.Project, window: Window) -> LinePart:
    """Return the commits of a window, oldest first.

    Raises
    ------
    NotFound, AmbiguousReference
        If the commit that it ends before is unknown.
    """
    last = find_commit(session, project, window.before) if window.before else None
    most = window.limit + window.limit // ASIDE + 1
    newest = newest_commits(session, project.id, most, before=last)
    rows, older = newest.commits, newest.older
    whole = lineage(rows if last is None else [last, *rows], last, older)
    before = [row for row in whole.commits if last is None or row.id != last.id]
    shown = before[-window.limit :]
    is_all = newest.is_all and len(shown) == len(before)
    return LinePart(
        replace(whole, commits=tuple(shown)),
        None if is_all or not shown else shown[0].sha,
    )


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """A series at one commit.

    Parameters
    ----------
    growth
        Of the model of this commit alone; neighbours may differ by chance.
    exponent
        Slope of the logarithm of the metric over that of the first parameter.
    value
        Measured at the largest setting; None where that failed.
    verdict
        As judged by the version of the expectation that it names.
    """

    position: int
    growth: Growth | None
    exponent: float | None
    value: float | None
    constant: float | None
    coefficient: float | None
    at_target: float | None
    verdict: Verdict | None
    expectation_version: int | None
    divergence: Growth | None = None

    @property
    def mark(self) -> Mark | None:
        """The verdict as it is shown: better than expected is no fault."""
        if self.verdict is None:
            return None
        return Mark.of_divergence(self.verdict, self.divergence)


_Target = tuple[str, float]
"""A parameter, and where on it."""

_VERDICTS: Final = {str(verdict): verdict for verdict in Verdict}


class _ModelValues(NamedTuple):
    """The growth of a model with its values, as `HistoryStep` has them."""

    growth: Growth | None
    coefficient: float | None
    at_target: float | None


_NOTHING: Final = _ModelValues(None, None, None)


class _Sum(NamedTuple):
    """Growths that are added, each with a coefficient.

    Parameters
    ----------
    growth
        That of the sum, with its constant.
    growths
        That of each.
    is_largest
        Which of them have that of the sum.
    values
        Of each at the target.
    """

    growth: Growth
    growths: tuple[Growth, ...]
    is_largest: tuple[bool, ...]
    values: tuple[float, ...]


class HistorySteps:
    """Steps of some histories, read at once."""

    def __init__(
        self,
        session: Session,
        line: Lineage,
        histories: Sequence[SeriesHistory],
        newest: int | None,
    ) -> None:
        self._line = line
        self._first = 0 if newest is None else -newest
        positions = {
            position
            for history in histories
            for position in history.positions[self._first :]
        }
        self._rows = {
            (row.series_id, row.commit_id): row
            for row in verdicts.steps_of(
                session,
                [history.series.id for history in histories],
                [line.commits[position].id for position in positions],
            )
        }

    def of(
        self,
        history: SeriesHistory,
        exponents: Sequence[float | None],
        values: Sequence[float | None],
    ) -> tuple[HistoryStep, ...]:
        """Return the steps of a history."""
        taken = [*zip(history.positions, exponents, values, strict=True)]
        is_line = len(history.parameters) == 1
        target = (history.parameters[0], target_of(history)) if is_line else None
        steps = []
        for position, exponent, value in taken[self._first :]:
            commit = self._line.commits[position]
            row = self._rows.get((history.series.id, commit.id))
            model = _model_values(row, target) if row else _NOTHING
            steps.append(
                HistoryStep(
                    position=position,
                    growth=model.growth if row and row.growth else None,
                    exponent=exponent,
                    value=value,
                    constant=row.constant if row else None,
                    coefficient=model.coefficient,
                    at_target=model.at_target,
                    verdict=_VERDICTS[row.verdict] if row and row.verdict else None,
                    expectation_version=row.version if row else None,
                    divergence=growth_or_none(row.divergence) if row else None,
                )
            )
        return tuple(steps)


def target_of(history: SeriesHistory) -> float:
    """Return the setting that forecasts of a history are for."""
    return FARTHER * max(at[0] for at in history.settings)


def _model_values(row: verdicts.Stepped, target: _Target | None) -> _ModelValues:
    if row.constant is None:
        return _NOTHING
    terms = [term for term in orjson.loads(row.terms) if term[0]]
    coefficients = [coefficient for coefficient, _ in terms]
    sum_ = _sum(tuple([growth for _, growth in terms]), target, bool(row.constant))
    at_target = row.constant + sum(map(mul, coefficients, sum_.values))
    if target and not isfinite(at_target):
        # Parts may exceed all numbers where the sum does not.
        model = Model(row.constant, tuple(map(Term, coefficients, sum_.growths)))
        at_target = float(model(dict([target])))
    return _ModelValues(
        sum_.growth,
        row.constant
        if sum_.growth == CONSTANT
        else sum(compress(coefficients, sum_.is_largest)),
        at_target if target and isfinite(at_target) else None,
    )


@lru_cache(maxsize=4096)
def _sum(
    texts: tuple[str, ...],
    target: _Target | None,
    has_constant: bool,  # noqa: FBT001 - cached by position
) -> _Sum:
    """Return the sum of these growths, and their values at the target."""
    growths = tuple(map(parse_growth, texts))
    terms = tuple(Term(1.0, each) for each in growths)
    growth = Model(float(has_constant), terms).growth
    return _Sum(
        growth,
        growths,
        tuple(each == growth for each in growths),
        tuple(float(each(dict([target]))) for each in growths) if target else (),
    )
