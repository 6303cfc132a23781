"""Causes by commit: the series that one commit made better and worse, by regions.

A change of the library shows in hundreds of series, as causes of several kinds, for the
better and for the worse at once. Whoever wrote the commit wants to see them together.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scalewatch.services.commits.find import Commit
from scalewatch.services.regressions.regressions import (
    Member,
    Regression,
    RegressionState,
    effect_of,
)


@dataclass(frozen=True, slots=True)
class RegionGroup:
    """Series whose regions begin with the same name.

    Parameters
    ----------
    better, worse
        How many became so.
    largest
        The one with the largest effect.
    """

    name: str
    better: int
    worse: int
    largest: Member


@dataclass(frozen=True, slots=True)
class CommitEffects:
    """The causes that one commit, or one range of commits, is suspected of.

    Parameters
    ----------
    groups
        Its series by regions, the largest effect first.
    """

    first: Commit
    last: Commit
    regressions: tuple[Regression, ...]
    groups: tuple[RegionGroup, ...]

    @property
    def better(self) -> int:
        """How many series became better."""
        return sum(group.better for group in self.groups)

    @property
    def worse(self) -> int:
        """How many series became worse."""
        return sum(group.worse for group in self.groups)

    @property
    def series(self) -> int:
        """How many series changed."""
        return self.better + self.worse

    @property
    def is_open(self) -> bool:
        """Whether one of its causes waits for somebody."""
        return any(each.state is RegressionState.OPEN for each in self.regressions)

    @property
    def opened_at(self) -> datetime:
        """When the first of its causes was found."""
        return min(each.opened_at for each in self.regressions)

    @property
    def changed_at(self) -> datetime:
        """When something happened to one of its causes."""
        return max(each.changed_at for each in self.regressions)


def by_commit(regressions: Sequence[Regression]) -> tuple[CommitEffects, ...]:
    """Return the commits with more than one cause, the largest effect first."""
    causes: dict[tuple[str, str], list[Regression]] = defaultdict(list)
    for cause in regressions:
        if cause.members:
            causes[cause.first.sha, cause.last.sha].append(cause)
    effects = [
        CommitEffects(alike[0].first, alike[0].last, tuple(alike), _groups(alike))
        for alike in causes.values()
        if len(alike) > 1
    ]
    return tuple(
        sorted(
            effects,
            key=lambda commit: effect_of(commit.groups[0].largest),
            reverse=True,
        )
    )


def group_name(region: str) -> str:
    """Return the beginning of a region's name that its siblings share.

    Names are nested by `->`, as call paths are, or else by dots, as those of Python;
    parameters in parentheses belong to the last part.
    """
    name = region.partition("(")[0]
    outer, _, inner = name.rpartition("->" if "->" in name else ".")
    return outer or inner


def _groups(regressions: Sequence[Regression]) -> tuple[RegionGroup, ...]:
    members: dict[str, list[tuple[bool, Member]]] = defaultdict(list)
    for cause in regressions:
        for member in cause.members:
            members[group_name(member.region)].append((cause.is_worse, member))
    groups = [
        RegionGroup(
            name,
            better=sum(not is_worse for is_worse, _ in alike),
            worse=sum(is_worse for is_worse, _ in alike),
            largest=max((member for _, member in alike), key=effect_of),
        )
        for name, alike in members.items()
    ]
    return tuple(
        sorted(groups, key=lambda group: effect_of(group.largest), reverse=True)
    )
