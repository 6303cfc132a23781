"""Accounts of Slurm's jobs.

`sacct -P` prints them as a table, `sacct --json` as JSON.

Jobs of one name make a scan. A job has the largest number of tasks and the largest
memory of its steps, which are regions of it.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted
from scalewatch.importers.tables.columns import RESTARTS
from scalewatch.outcomes import judge_cell
from scalewatch.texts.cells import read_cell

_NEEDED: Final = frozenset({"jobid", "state"})
_TIMES: Final = frozenset({"elapsed", "elapsedraw"})
_UNENDED: Final = frozenset(
    {"RUNNING", "PENDING", "SUSPENDED", "CONFIGURING", "COMPLETING", "RESIZING"}
    | {"SIGNALING", "STAGE_OUT", "STOPPED"}
)
"""States of jobs that have not ended, which nothing is measured of yet."""

_GPUS: Final = re.compile(r"gres/gpu=(?P<count>\d{1,9})")
_SIZED: Final = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,9})?)(?P<unit>[KMGTP]?)n?c?")
_UNITS: Final = "KMGTP"
_KEPT_STEPS: Final = re.compile(r"\d{1,9}")
"""Steps that run a program; `batch` and `extern` are of the script and of Slurm."""


@dataclass(frozen=True, slots=True)
class Account:
    """A job or a step: its id, name, state, settings and what was measured.

    Parameters
    ----------
    restarts
        How often Slurm began it anew; None where that was not printed.
    """

    job: str
    step: str
    name: str
    state: str
    settings: Mapping[str, float]
    values: Mapping[str, float]
    provenance: series.Provenance
    restarts: int | None = None
    steps: list["Account"] = field(default_factory=list)


def recognises(head: str) -> bool:
    """Tell whether a text begins with the header of `sacct -P`."""
    names = set(head.lstrip("\ufeff\n").partition("\n")[0].strip().lower().split("|"))
    return names >= _NEEDED and not _TIMES.isdisjoint(names)


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield time, memory and energy of each job that ended, and of its steps."""
    rows = csv.reader(filter(str.strip, source), delimiter="|", quoting=csv.QUOTE_NONE)
    header = [name.strip().lower() for name in next(rows, ())]
    if not _NEEDED.issubset(header) or _TIMES.isdisjoint(header):
        expected = "the columns JobID, State and Elapsed of `sacct -P`"
        raise source.malformed(expected, quoted("|".join(header)))
    jobs: dict[str, Account] = {}
    for row in rows:
        if len(row) != len(header):
            expected = f"{len(header)} cells, one per column"
            raise source.malformed(expected, str(len(row)))
        source.require_whole_line()
        account = _of_row(source, dict(zip(header, map(str.strip, row), strict=True)))
        if not account.step:
            jobs[account.job] = account
        elif account.job in jobs:
            jobs[account.job].steps.append(account)
    yield from measured(jobs.values(), source.notes)


def _of_row(source: Source, row: Mapping[str, str]) -> Account:
    job, _, step = row["jobid"].partition(".")
    tasks, cpus = row.get("ntasks", ""), row.get("alloccpus") or row.get("ncpus", "")
    gpus = _GPUS.search(row.get("alloctres") or row.get("reqtres", ""))
    settings = {
        "p": _number(tasks),
        "cpus": _number(cpus),
        "nodes": _number(row.get("nnodes", "")),
        "gpus": float(gpus["count"]) if gpus else None,
    }
    elapsed = row.get("elapsedraw") or row.get("elapsed", "")
    seconds = read_cell(elapsed).number
    state = row["state"]
    if seconds is None and not _is_unended(state):
        raise source.malformed("how long a job took", quoted(elapsed))
    values = {
        "time": seconds,
        "memory": _sized(row.get("maxrss", ""), 1024.0),
        "energy": _sized(row.get("consumedenergyraw", ""), 1.0)
        or _sized(row.get("consumedenergy", ""), 1000.0),
    }
    judged = judge_cell("state", state)
    if judged is None or (judged.has_succeeded is None and not judged.is_absent):
        raise source.malformed("the state of a job", quoted(state))
    provenance = series.Provenance(
        machine=row.get("cluster") or None,
        job=job,
        started_at=_moment(row.get("start", "")),
        ended_at=_moment(row.get("end", "")),
    )
    return Account(
        job,
        step,
        row.get("jobname", ""),
        state,
        known(settings),
        known(values),
        provenance,
        int(restarts) if (restarts := row.get("restarts", "")).isdecimal() else None,
    )


def measured(
    jobs: Iterable[Account], notes: list[str]
) -> Iterator[series.ImportedMeasurement]:
    """Yield what was measured of jobs that ended; note how many have not."""
    unended = 0
    for job in jobs:
        if _is_unended(job.state):
            unended += 1
            continue
        kept = [step for step in job.steps if _KEPT_STEPS.fullmatch(step.step)]
        yield from _of(job, [job, *job.steps], kept, job.name)
        for step in kept:
            yield from _of(step, [step], [step], f"{job.name}->{step.name}", job)
    if unended:
        notes.append(f"{unended} jobs have not ended, and are left out")


def _of(
    account: Account,
    parts: Sequence[Account],
    programs: Sequence[Account],
    region: str,
    job: Account | None = None,
) -> Iterator[series.ImportedMeasurement]:
    """Yield what was measured of a job or a step, over all parts of it."""
    settings = {**(job.settings if job else {}), **account.settings}
    tasks = [part.settings["p"] for part in programs if "p" in part.settings]
    p = max(tasks, default=settings.get("p") or settings.get("cpus"))
    coordinate = {"p": p} if p else {}
    coordinate |= {key: settings[key] for key in ("nodes", "gpus") if key in settings}
    for metric, unit in (("time", "s"), ("memory", "B"), ("energy", "J")):
        values = [part.values[metric] for part in parts if metric in part.values]
        if values:
            value = account.values["time"] if metric == "time" else max(values)
            taken = series.measurement(
                region,
                metric,
                unit,
                value,
                coordinate,
                provenance=account.provenance,
                failed=not has_succeeded(account.state),
            )
            restarts = (job or account).restarts
            if restarts is not None:
                taken = taken._replace(dependent=((RESTARTS, float(restarts)),))
            yield taken


def _is_unended(state: str) -> bool:
    return state.partition(" ")[0] in _UNENDED


def has_succeeded(state: str) -> bool:
    """Tell whether a state is that of a job that ended well."""
    judged = judge_cell("state", state)
    return judged is not None and judged.has_succeeded is True


def known(held: Mapping[str, float | None]) -> dict[str, float]:
    """Return the numbers that are there."""
    return {key: number for key, number in held.items() if number}


def _number(text: str) -> float | None:
    return float(text) if text.isdecimal() else None


def _sized(text: str, thousand: float) -> float | None:
    """Return a number with a letter of its size, a power of `thousand`."""
    sized = _SIZED.fullmatch(text)
    if sized is None:
        return None
    power = _UNITS.index(sized["unit"]) + 1 if sized["unit"] else 0
    return float(sized["number"]) * thousand**power


def _moment(text: str) -> str | None:
    """Return a time as ISO 8601; Slurm's have no zone, and may be anywhere."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
