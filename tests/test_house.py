"""The counts of the structure, on a package of three rooms."""

from pathlib import Path

import pytest
from benchmarks.house import Code, Module, Walk, arrows_among, floors

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

FIELDS = """
class Commit:
    def read(self):
        return never()

class Both:
    before: Commit

def both() -> Both:
    return never()

def entry():
    pair = both()
    before, number = pair.before, 3
    return before.read()
"""


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
    assert [place[1] for place, _ in walk.climbs(walk.places)] == ["step"]


def test_walk_tells_places_that_read_from_those_that_compute(code):
    walk = Walk(code, "scalewatch.services.gates:gate_of")

    assert [name for _, name in walk.reading] == ["gate_of", "report_of", "step"]
    assert [place[1] for place, _ in walk.climbs(walk.reading)] == ["step"]


def test_walk_follows_fields_and_returned_values(tmp_path):
    folder = tmp_path / "scalewatch"
    folder.mkdir()
    (folder / "services.py").write_text(FIELDS, "utf-8")
    code = Code([folder])

    walk = Walk(code, "scalewatch.services:entry")

    assert [name for _, name in walk.places] == ["entry", "both", "Commit.read"]


def test_rooms_stand_on_each_other(code):
    arrows = arrows_among(code.modules.values())

    assert arrows == {("gates", "reports"), ("gates", "steps"), ("steps", "reports")}
    assert [floors(arrows, room) for room in ("gates", "steps", "reports")] == [3, 2, 1]


def test_sizes_count_private_functions_with_one_caller(code):
    assert code.modules["scalewatch.services.gates"].size == (10, 2, 2, 1)
    assert code.modules["scalewatch.storage.rows"].size == (3, 0, 2, 1)


CONSTANTS = """
LEAST: Final = 3
MOST = -(2.0**60)
NAMED = LEAST
TEXT: Final = "3"
SIZES: Final = (0.5, 1)

class Assumptions:
    fall: float = 4.0
    # Limits: no answer depends on them.
    most: int = 20_000
"""


def test_constants_are_counted_at_the_top_and_in_ledgers():
    assert Module("scalewatch.modelling.room", CONSTANTS).constants == (3, 1, 1)
