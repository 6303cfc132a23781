"""The same measurements posted to a server and given as files are judged alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import NAMESPACE_OID, uuid5

import numpy as np
import pytest

from scalewatch.importers import ImportedSeries
from scalewatch.modelling import parse_declared
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.files.imports import FAILED
from scalewatch.services.files.model_files import Question, Stated
from scalewatch.services.gates.files import gate_of_files, sides_of
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.gates.rules import FileRules
from scalewatch.wire import RunReport
from support.builders import result, run_report
from support.histories import commit
from support.recorded import record

PROCESSES = (4, 8, 16, 32, 64, 128)
JOBS, REPETITIONS = 2, 5
CURVES: Mapping[str, Callable[[float], float]] = {
    "1": lambda _: 8,
    "log p": lambda p: 1 + np.log2(p),
    "p": lambda p: 2 + 0.5 * p,
    "p^2": lambda p: 2 + 0.1 * p**2,
}
UNITS = {"time": "s", "rate": "B/s", "count": "1", "memory": "B"}


@dataclass(frozen=True)
class Scan:
    """A series of one version: its truth, and where it was not measured."""

    region: str
    metric: str
    growth: str
    factor: float = 1.0
    noise: float = 0.01
    failed: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()

    @property
    def is_exact(self) -> bool:
        return self.metric == "count"

    def measured(self, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Return what jobs measured by setting, shape (jobs, repetitions)."""
        shape = (JOBS, REPETITIONS)
        values = {}
        for p in PROCESSES:
            truth = self.factor * CURVES[self.growth](p)
            if self.is_exact:
                scattered = np.full(shape, np.round(100 * truth))
            else:
                scattered = 1e-3 * truth * rng.lognormal(0, self.noise, shape)
            values[p] = np.full(shape, np.nan) if p in self.failed else scattered
        return {p: row for p, row in values.items() if p not in self.missing}


def worse(scan: Scan) -> Scan:
    return replace(scan, growth="p^2" if scan.growth == "p" else "p")


CHANGES: Mapping[str, Callable[[Scan], Scan | None]] = {
    "unchanged": lambda scan: scan,
    "dearer": lambda scan: replace(scan, factor=1.4),
    "cheaper": lambda scan: replace(scan, factor=0.7),
    "faster": worse,
    "slower": lambda scan: replace(scan, growth="1"),
    "gone": lambda _: None,
    "failed": lambda scan: replace(scan, failed=PROCESSES),
    "failed in part": lambda scan: replace(scan, failed=PROCESSES[-1:]),
    "incomplete": lambda scan: replace(scan, missing=PROCESSES[:1]),
    "noisy": lambda scan: scan,
    "other unit": lambda scan: replace(scan, metric="memory"),
}


def drawn(seed: int) -> tuple[list[Scan], list[Scan], dict[str, str]]:
    """Return the series of two versions, and what is expected of some regions."""
    rng = np.random.default_rng(seed)
    before, after, expected = [], [], {}
    for number in range(int(rng.integers(2, 5))):
        metric = str(rng.choice(["time", "time", "rate", "count"]))
        growth = str(rng.choice(["log p", "p"]))
        scan = Scan(f"region_{number}", metric, growth)
        change = str(rng.choice(list(CHANGES)))
        if scan.is_exact and change in {"noisy", "other unit"}:
            change = "dearer"
        if change == "noisy":
            scan = replace(scan, noise=0.3)
        before.append(scan)
        if (later := CHANGES[change](scan)) is not None:
            after.append(later)
        if rng.random() < 0.4:
            expected[scan.region] = str(rng.choice([growth, "1"]))
    if rng.random() < 0.4:
        after.append(Scan("new", "time", "log p"))
    return before, after or [Scan("new", "time", "log p")], expected


Measured = Sequence[tuple[Scan, Mapping[int, np.ndarray]]]


def as_files(measured: Measured) -> list[ImportedSeries]:
    return [
        ImportedSeries(
            region=scan.region,
            metric=scan.metric,
            unit=UNITS[scan.metric],
            configuration={"message_bytes": 256},
            parameters=("p",),
            settings=np.array([[p] for p in rows], dtype=float),
            values=np.array([row.reshape(-1) for row in rows.values()]),
            is_exact=scan.is_exact,
        )
        for scan, rows in measured
    ]


def as_runs(measured: Measured, number: int) -> Iterator[RunReport]:
    for job in range(JOBS):
        for p in PROCESSES:
            results = [
                result(
                    region=scan.region,
                    metric=scan.metric,
                    unit=UNITS[scan.metric],
                    better="higher" if scan.metric == "rate" else "lower",
                    exact=scan.is_exact,
                    **outcome(rows[p][job].tolist()),
                )
                for scan, rows in measured
                if p in rows
            ]
            if results:
                yield run_report(
                    id=str(uuid5(NAMESPACE_OID, f"{number} {job} {p}")),
                    suite=f"suite {job}",
                    commit=commit(number),
                    coordinate={"p": p},
                    results=results,
                )


def outcome(values: list[float]) -> dict[str, object]:
    if np.isnan(values).all():
        return {"values": [], "status": "failed", "reason": FAILED}
    return {"values": values}


@pytest.mark.parametrize("seed", range(32))
def test_files_get_the_answer_of_a_server(sessions, seed):
    before, after, expected = drawn(seed)
    rng = np.random.default_rng(seed)
    versions = [
        [(scan, scan.measured(rng)) for scan in scans] for scans in (before, after)
    ]
    stated = [
        Declaration(scan.region, scan.metric, expected[scan.region])
        for scan in before
        if scan.region in expected
    ]

    record(sessions, as_runs(versions[0], 1))
    with sessions.writing.begin() as session:
        declare(session, "mpich", stated, author="ada", reason=None)
    record(sessions, as_runs(versions[1], 2))
    with sessions.reading() as session:
        server = gate_of(session, "mpich", commit(2)["sha"], None)
    question = Question(
        expectations=[
            Stated(f"{each.region}:{each.metric}", parse_declared(each.growth))
            for each in stated
        ]
    )
    earlier, now = (sides_of(as_files(each), question) for each in versions)
    files = gate_of_files(
        now,
        earlier,
        FileRules(),
        lambda series: series.metric != "rate",
        server.baseline.named,
    )

    assert told(files) == told(server)


def told(gate):
    """Return what a gate says, but for what a server alone knows."""
    return (
        gate.outcome,
        gate.sentence,
        {str(name): number for name, number in gate.counts.items() if number},
        sorted(
            (each.region, each.metric, each.kind, each.is_sure, each.sentence)
            for each in gate.findings
        ),
    )
