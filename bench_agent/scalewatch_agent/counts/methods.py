"""The methods of counting, and which of them suits a program."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.gcov import gcov
from scalewatch_agent.experiments.configured import Loaded
from scalewatch_agent.experiments.instruments import Instrument


@dataclass(frozen=True, slots=True)
class Method:
    """A way of counting: its instrument, and what programs are compiled with.

    The instrument takes the name of the experiment, the folders of its sources, and
    whether processes count apart.
    """

    instrument: Callable[[str, tuple[Path, ...], bool], Instrument]
    flags: str = ""


METHODS: Final[Mapping[str, Method]] = {
    "gcov": Method(gcov.Gcov, gcov.FLAGS),
}


def method_of(
    loaded: Loaded,
    folders: tuple[Path, ...],
    chosen: str | None,
    *,
    is_by_rank: bool,
) -> Instrument:
    """Return the instrument that was chosen, or that suits the program.

    `folders` hold sources beside those of the experiment.
    """
    roots = dict.fromkeys(folder.resolve() for folder in (loaded.source, *folders))
    method = METHODS[chosen or "gcov"]
    return method.instrument(loaded.experiment.name, tuple(roots), is_by_rank)
