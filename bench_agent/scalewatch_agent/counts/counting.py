"""The instrument that counts work, by any method."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from scalewatch.wire import Fact, Result
from scalewatch_agent.counts import regions
from scalewatch_agent.counts.programs import Build, build_in
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.instruments import Instrument, Output
from scalewatch_agent.experiments.launchers.jobs import Executed, Request

PREFIX: Final = "counts"
"""How the files begin, in the folder of a job, that a program counts into."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of some processes.

    `processes` says how many of each program have written their counts.
    """

    functions: Sequence[regions.Function] = ()
    processes: Mapping[str, int] = field(default_factory=dict)


class Method(ABC):
    """A way of counting.

    `variable` tells a process where to write: the prefix of the job, or of its rank,
    and `suffix`; it finds `environment` besides. `flags` are what a program is compiled
    with, if it has to be, `tool` is a program that counting needs, and `advice` what
    helps where nothing was written.
    """

    title: ClassVar[str]
    variable: ClassVar[str]
    advice: ClassVar[str]
    flags: ClassVar[str] = ""
    suffix: ClassVar[str] = ""
    environment: ClassVar[Mapping[str, str]] = {}
    tool: ClassVar[str | None] = None

    def started(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the command that starts a program so that it counts."""
        return words

    def build(self, request: Request) -> Build:
        """Return how the program of a job was compiled."""
        return build_in(request)

    @abstractmethod
    def tally(
        self, prefix: Path, request: Request, roots: tuple[Path, ...]
    ) -> Tally | None:
        """Return what files that begin with a prefix hold; None without any.

        Functions count whose files lie below `roots`.

        Raises
        ------
        regions.Uncountable
            If that cannot be used.
        """


@dataclass(frozen=True, slots=True)
class Counting(Instrument):
    """Counts the functions of a program, and what goes on in them.

    Parameters
    ----------
    name
        Of the experiment, the region of what fails.
    roots
        Folders of the sources that count; libraries lie elsewhere.
    is_by_rank
        Whether processes count apart, so that the largest count is known as well.
    """

    name: str
    roots: tuple[Path, ...]
    method: Method
    is_by_rank: bool = False

    @property
    def identity(self) -> Any:
        """How it counts."""
        return [self.method.title, self.method.flags, self.is_by_rank]

    @property
    def flags(self) -> Mapping[str, str]:
        """The flags, the same for all languages."""
        return {"cflags": self.method.flags, "fflags": self.method.flags}

    def prepared(self, request: Request) -> Request:
        """Return the job with counts that go to its own folder, so to no other's."""
        method, prefix = self.method, request.folder / PREFIX
        words = method.started(request.words)
        if self.is_by_rank:
            words = by_rank(words, method.variable, prefix, method.suffix)
        environment = {
            **request.environment,
            **method.environment,
            method.variable: f"{prefix}{method.suffix}",
        }
        return replace(request, words=words, environment=environment)

    def output(self, executed: Executed, values: Mapping[str, Scalar]) -> Output:  # noqa: ARG002 - the protocol's
        """Return the counts of a job; what was counted before a failure is not all."""
        build = self.method.build(executed.request)
        facts: dict[str, Fact] = {}
        if build.compilers:
            facts["compiler"] = ", ".join(build.compilers)
        settings: dict[str, Fact] = {"counted_by": self.method.title}
        if build.optimisation:
            settings["optimisation"] = build.optimisation
        if executed.failure is not None:
            outcome = regions.failed(self.name, executed.failure)
        else:
            try:
                outcome = self._results(executed.request, build)
            except regions.Uncountable as reason:
                outcome = regions.failed(self.name, str(reason))
        return Output(outcome, settings=settings, facts=facts)

    def _results(self, request: Request, build: Build) -> list[Result]:
        if self.method.flags and build.is_threaded and not build.is_atomic:
            raise regions.Uncountable(
                "the program has threads, which lose counts of each other: compile "
                "with -fprofile-update=atomic"
            )
        prefix = request.folder / PREFIX
        prefixes = [prefix]
        if self.is_by_rank:  # a process can write several files
            names = {file.name.partition(".")[0] for file in prefix.glob("rank-*")}
            prefixes = [prefix / name for name in sorted(names)]
        tallies = [self.method.tally(each, request, self.roots) for each in prefixes]
        ranks = [tally for tally in tallies if tally is not None]
        if not ranks:
            raise regions.Uncountable(self.method.advice)
        # What no process enters is left out: libraries hold much that nobody calls.
        together = [
            function
            for function in regions.added(
                each for rank in ranks for each in rank.functions
            )
            if function.is_used
        ]
        if not together:
            raise regions.Uncountable(
                "nothing was counted in the folder of the sources: name it by --source"
            )
        # See that one program has counted, in all its processes.
        wanted = request.configured.processes or 1
        begun: Counter[str] = Counter()
        for rank in ranks:
            begun.update(rank.processes)
        if len(begun) > 1:
            programs = " and ".join(sorted(begun))
            raise regions.Uncountable(
                f"two programs have counted in one job, {programs}: count one alone"
            )
        for program, number in begun.items():
            if number != wanted:
                raise regions.Uncountable(
                    f"{number} of {wanted} processes have written what they counted "
                    f"({program}): each has to end by exit, or by returning from main"
                )
        apart: list[Mapping[str, int]] = []
        if self.is_by_rank:
            apart = [
                {
                    each.name: each.count
                    for each in regions.regions(rank.functions, self.roots)
                }
                for rank in ranks
            ]
        return regions.results(regions.regions(together, self.roots), apart)


VARIABLES: Final = (
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "SLURM_PROCID",
)
"""Variables in which starters of processes give the rank."""


def by_rank(
    words: tuple[str, ...], variable: str, folder: Path, suffix: str
) -> tuple[str, ...]:
    """Return a program that finds its rank's prefix in `folder` in a variable."""
    rank = "0"
    for name in reversed(VARIABLES):
        rank = f"${{{name}:-{rank}}}"
    target = f"{variable}=\"$0/rank-{rank}\"'{suffix}'"
    script = f'mkdir -p "$0"; export {target}; exec "$@"'
    return ("/bin/sh", "-c", script, str(folder), *words)
