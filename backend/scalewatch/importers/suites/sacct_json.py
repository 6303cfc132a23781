"""JSON of `sacct --json`, read as the table of `sacct -P` is."""

from collections.abc import Iterable, Iterator
from typing import Any

from scalewatch.errors import MalformedFile
from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.importers.source import quoted
from scalewatch.importers.suites.sacct import Account, has_succeeded, known, measured
from scalewatch.outcomes import judge_cell


def recognises(document: Document) -> bool:
    """Tell whether a document is of `sacct --json`."""
    jobs = document.value.get("jobs") if isinstance(document.value, dict) else None
    return isinstance(jobs, list) and all(
        isinstance(job, dict) and {"job_id", "steps"} <= job.keys() for job in jobs
    )


def read(
    documents: Iterable[Document],
) -> Iterator[series.ImportedMeasurement]:
    """Yield time, memory and energy of each job that ended, and of its steps."""
    for document in documents:
        jobs = [_of_job(job) for job in document.part("jobs").elements()]
        yield from measured(jobs, document.notes)


def _of_job(job: Document) -> Account:
    held = job.object()
    number = str(job.part("job_id").value)
    provenance = series.Provenance(
        machine=held.get("cluster") if isinstance(held.get("cluster"), str) else None,
        job=number,
        started_at=_since_1970(_at(held, "time", "start")),
        ended_at=_since_1970(_at(held, "time", "end")),
    )
    account = _of_part(job, number, "", str(held.get("name") or ""), provenance)
    for step in job.part("steps").elements():
        about = step.object().get("step")
        about = about if isinstance(about, dict) else {}
        place = str(about.get("id") or "").rpartition(".")[2] or "0"
        name = str(about.get("name") or "")
        account.steps.append(_of_part(step, number, place, name, provenance))
    return account


def _of_part(
    part: Document, job: str, step: str, name: str, provenance: series.Provenance
) -> Account:
    held = part.object()
    allocated = _listed(held, "tres", "allocated")
    counts = {
        str(each.get("name") or each.get("type")): _numbered(each.get("count"))
        for each in allocated
        if isinstance(each, dict)
    }
    settings = {
        "p": _numbered(_at(held, "tasks", "count")),
        "cpus": counts.get("cpu"),
        "nodes": counts.get("node") or _numbered(_at(held, "nodes", "count")),
        "gpus": counts.get("gpu"),
    }
    largest = _listed(held, "tres", "requested", "max")
    memory = [
        _numbered(each.get("count"))
        for each in largest
        if isinstance(each, dict) and each.get("type") == "mem"
    ]
    values = {
        "time": _numbered(_at(held, "time", "elapsed")),
        "memory": next(iter(memory), None),
        "energy": _numbered(_at(held, "statistics", "energy", "consumed")),
    }
    state = held.get("state")
    if isinstance(state, dict):
        state = state.get("current")
    words = [str(each) for each in state] if isinstance(state, list) else [str(state)]
    for word in words:
        judged = judge_cell("state", word)
        if judged is None or judged.has_succeeded is None:
            expected = "the state of a job"
            raise MalformedFile(part.source, part.place, expected, quoted(word))
    failed = (word for word in words if not has_succeeded(word))
    return Account(
        job,
        step,
        name,
        next(failed, words[0]),
        known(settings),
        known(values),
        provenance,
        int(_numbered(held.get("restart_cnt")) or 0) if "restart_cnt" in held else None,
    )


def _numbered(stated: Any) -> float | None:
    """Return a number as it is, or as newer versions have it: set, infinite, number."""
    if isinstance(stated, dict):
        stated = stated.get("number") if stated.get("set", True) else None
    is_number = isinstance(stated, int | float) and not isinstance(stated, bool)
    return float(stated) if is_number and stated > 0 else None


def _at(held: Any, *keys: str) -> Any:
    for key in keys:
        held = held.get(key) if isinstance(held, dict) else None
    return held


def _listed(held: Any, *keys: str) -> list[Any]:
    stated = _at(held, *keys)
    return stated if isinstance(stated, list) else []


def _since_1970(seconds: Any) -> str | None:
    number = _numbered(seconds)
    return series.moment_of(number) if number else None
