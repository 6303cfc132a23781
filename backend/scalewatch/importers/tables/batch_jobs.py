"""Processes, machine, job and outcome in tables of batch jobs.

JUBE and suites like it write a row per job, of nodes, taskspernode, system and job_id.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.importers.series import Provenance, plain_setting
from scalewatch.outcomes import Outcome, is_missing, judge_cell, states_outcomes
from scalewatch.texts.scales import parameter_of

_TASKS_PER_NODE: Final = re.compile(
    r"n?(tasks?|procs?|processes|ranks|mpi)[_ ]?(per|/)[_ ]?node|ppn", re.IGNORECASE
)
_COUNT: Final = re.compile(r"\d{1,9}")
_JOB: Final = re.compile(r"(slurm_?)?job_?id", re.IGNORECASE)
_SYSTEM: Final = "system"
_NUMBERING: Final = re.compile(
    r"jube_(?=\w*+\Z)\w*?id(?:_\w|\Z)|exit_code\Z", re.IGNORECASE
)
"""Columns by which JUBE numbers what it ran; they say nothing of how."""


_EXACB: Final = frozenset(
    {"system", "version", "queue", "variant", "jobid", "nodes", "taskspernode"}
    | {"threadspertask", "runtime", "success"}
)
"""Columns of exaCB, which writes the metrics of a benchmark behind them."""


def exacb_metrics(header: Sequence[str], row: Sequence[str]) -> Sequence[str]:
    """Return the columns of numbers that a table of exaCB has measured."""
    if not set(header) >= _EXACB:
        return ()
    others = [
        name
        for name, cell in zip(header, row, strict=False)
        if name and name not in _EXACB and isinstance(plain_setting(cell), int | float)
    ]
    return ["runtime", *others]


@dataclass(frozen=True, slots=True)
class JobColumns:
    """Positions of the columns that describe a job, None where there are none.

    Attributes
    ----------
    nodes, tasks_per_node
        Whose product are the processes of a row.
    machine, job
        Provenance of a row.
    outcomes
        Columns of the outcome of a run.
    numbering
        Columns that only number runs.
    """

    nodes: int | None
    tasks_per_node: int | None
    machine: int | None
    job: int | None
    outcomes: Mapping[str, int]
    numbering: Sequence[int]

    @property
    def positions(self) -> frozenset[int]:
        """Positions of columns that are neither configuration nor measured."""
        positions = (self.machine, self.job, *self.outcomes.values(), *self.numbering)
        return frozenset(at for at in positions if at is not None)

    def processes(self, row: Sequence[str]) -> float | None:
        """Return how many a job had."""
        if self.nodes is None or self.tasks_per_node is None:
            return None
        factors = row[self.nodes], row[self.tasks_per_node]
        if not all(map(_COUNT.fullmatch, factors)):
            return None
        return float(factors[0]) * float(factors[1])

    def provenance(self, row: Sequence[str]) -> Provenance:
        """Return machine and job of a row."""
        machine, job = (_known(row, at) for at in (self.machine, self.job))
        return Provenance(machine=machine, job=job)

    def stated_outcomes(self, row: Sequence[str]) -> Mapping[str, Outcome]:
        """Return how a job ended, by each column that states it."""
        judged = {
            name: judge_cell(name, row[at], is_about_outcome=True)
            for name, at in self.outcomes.items()
        }
        return {name: outcome for name, outcome in judged.items() if outcome}


def job_columns(
    header: Sequence[str],
    unused: Collection[str],
    parameters: Collection[str],
    configuration: Collection[str],
    rows: Sequence[Sequence[str]],
) -> JobColumns:
    """Return the columns that describe jobs.

    Machine and job are only known where processes are, too: in other tables a system
    may be one of atoms.

    Parameters
    ----------
    header
        The names of all columns.
    unused
        Those without another meaning.
    parameters
        What is known without them.
    configuration
        Those of them that are stated to be settings, and hence no outcomes.
    rows
        All rows, by whose words a column may state outcomes.
    """
    nodes = _first(header, lambda name: parameter_of(name) == "nodes")
    per_node = _first(
        header, lambda name: name in unused and bool(_TASKS_PER_NODE.fullmatch(name))
    )
    outcomes = {
        name: header.index(name)
        for name in unused
        if name not in configuration
        and states_outcomes(name, (row[header.index(name)] for row in rows))
    }
    numbering = [
        at
        for at, name in enumerate(header)
        if name in unused and _NUMBERING.match(name)
    ]
    if nodes is None or per_node is None:
        return JobColumns(None, None, None, None, outcomes, numbering)
    return JobColumns(
        nodes=None if "p" in parameters else nodes,
        tasks_per_node=per_node,
        machine=_first(header, lambda name: name == _SYSTEM and name in unused),
        job=_first(header, lambda name: bool(_JOB.fullmatch(name)) and name in unused),
        outcomes=outcomes,
        numbering=numbering,
    )


def _first(header: Sequence[str], is_meant: Callable[[str], bool]) -> int | None:
    return next((at for at, name in enumerate(header) if is_meant(name)), None)


def _known(row: Sequence[str], at: int | None) -> str | None:
    return None if at is None or is_missing(row[at]) else row[at]
