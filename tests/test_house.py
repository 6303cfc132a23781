"""The counts of the structure, on a package of three rooms."""

from pathlib import Path

import pytest
from benchmarks.house import Code, Walk, arrows_among, floors

SOURCES = {
    "services/__init__": '"""Rooms."""\n',
    "services/gates": """
from scalewatch.services.reports import Report, report_of
from scalewatch.services.steps import step

def gate_of(session):
    report = report_of(session)
    return Report.of(report), map(_judged, step(session))

def _judged(report: Report):
    return report.changed
""",
    "services/reports": """
from scalewatch.storage import rows
from scalewatch.unknown import anything

class Report:
    @classmethod
    def of(cls, report):
        return anything(report)

    @property
    def changed(self):
        return _never()

def report_of(session):
    return rows.all_of(session)
""",
    "services/steps": """
from scalewatch.services.reports import report_of

def step(session):
    return report_of(session)
""",
    "storage/rows": "def all_of(session): return _sql(session)\n\ndef _sql(_): pass\n",
}


@pytest.fixture
def code(tmp_path: Path) -> Code:
    for name, source in SOURCES.items():
        path = tmp_path / "scalewatch" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    return Code([tmp_path / "scalewatch"])


def test_walk_visits_what_an_entry_calls_down_to_storage(code):
    walk = Walk(code, "scalewatch.services.gates:gate_of")

    rooms = [(module.rpartition(".")[2], name) for module, name in walk.places]
    assert rooms == [
        ("gates", "gate_of"),
        ("reports", "report_of"),
        ("reports", "Report.of"),
        ("gates", "_judged"),
        ("reports", "Report.changed"),
        ("steps", "step"),
    ]
    assert walk.storage == {"scalewatch.storage.rows"}
    assert walk.hops == [2]
    assert [place[1] for place, _ in walk.climbs] == ["step"]


def test_rooms_stand_on_each_other(code):
    arrows = arrows_among(code.modules.values())

    assert arrows == {("gates", "reports"), ("gates", "steps"), ("steps", "reports")}
    assert [floors(arrows, room) for room in ("gates", "steps", "reports")] == [3, 2, 1]


def test_sizes_count_private_functions_with_one_caller(code):
    assert code.modules["scalewatch.services.gates"].size == (10, 2, 2, 1)
    assert code.modules["scalewatch.storage.rows"].size == (3, 0, 2, 1)
