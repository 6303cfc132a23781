"""Services load once, then compute: which of their modules read the database."""

import ast
from pathlib import Path

import pytest

SERVICES = Path(__file__).parents[1] / "backend/scalewatch/services"

# The modules of each room that read storage; the others compute with what was read.
ENTRIES = {
    "caches": set(),
    "commit_reports": {"comparison", "report"},
    "common_mode": {"alarms", "newest_commit", "project_history"},
    "commits": {"baselines", "find", "forges", "main_line"},
    "comparisons": {"compare", "figures", "ratios"},
    "compositions": set(),
    "confirmations": {"next_steps", "requests"},
    "costs": {"costs"},
    "efficiencies": set(),
    "expectations": {"declarations", "in_force"},
    "gates": {"circumstances", "declared_rules", "gate", "next_steps"},
    "guidelines": {"guidelines"},
    "match_table": {"single_values", "small_plots", "table"},
    "searches": {"searches"},
    "papers": {"folder"},
    "regions": {"efficiency", "figures", "models", "outlook", "preview", "region"},
    "selection": {"renamed_regions"},
    "series": {"snapshots"},
    "shared_cores": {"shared_cores"},
}
# Rooms that still read storage wherever they need something.
UNCONVERTED = {
    "access", "analysis", "configurations", "files",
    "histories", "hotspots", "jobs", "machines", "operations", "projects",
    "regressions", "runs", "scaling_errors", "stores", "traces",
}  # fmt: skip
# Private functions that read for several entries of their module, each with its reason.
READERS = {
    "gates/gate.py: _gate": "asks for confirmations at the end of both ways to a gate",
    "gates/gate.py: _judged": "reads for the gate and for the report of a commit",
    "gates/gate.py: _machine_by_machine": "all of a wide commit at once is too much",
    "gates/gate.py: _with_recent": "reads the values of findings once these are known",
    "searches.py: _commits": "names of one kind, in a table of kinds",
    "searches.py: _machines": "names of one kind, in a table of kinds",
    "searches.py: _metrics": "names of one kind, in a table of kinds",
    "searches.py: _regions": "names of one kind, in a table of kinds",
    "searches.py: _sides": "names of one kind, in a table of kinds",
    "regions/figures.py: _composed": "a figure, in a table of figures",
    "regions/figures.py: _scaling": "a figure, in a table of figures",
    "regions/figures.py: _under": "the region at another commit, where one is asked",
}
# Rows as they are declared, flags in bits and the clock ask nothing of the database.
WITHOUT_QUERIES = {"tables", "flags_in", "bits_of", "now"}


def modules_of(room: str) -> list[Path]:
    folder = SERVICES / room
    return sorted(folder.glob("*.py")) if folder.is_dir() else [SERVICES / f"{room}.py"]


def test_every_room_is_converted_or_waits_for_it():
    rooms = {
        path.stem
        for path in SERVICES.iterdir()
        if (path.is_dir() and (path / "__init__.py").exists())
        or (path.suffix == ".py" and path.stem != "__init__")
    }

    assert rooms - ENTRIES.keys() <= UNCONVERTED
    assert ENTRIES.keys() <= rooms
    assert not ENTRIES.keys() & UNCONVERTED


@pytest.mark.parametrize("room", sorted(ENTRIES))
def test_only_entries_read_storage(room):
    others = [path for path in modules_of(room) if path.stem not in ENTRIES[room]]

    # Types of rows and flags may be named anywhere; queries may not.
    assert [
        f"{path.name}: {name}"
        for path in others
        for name in _imported_from_storage(path)
        if not name[0].isupper() and name not in WITHOUT_QUERIES
    ] == []
    assert [f"{p.name}: {f.name}" for p in others for f in _taking_sessions(p)] == []


@pytest.mark.parametrize("room", sorted(ENTRIES))
def test_only_the_first_function_of_a_use_case_has_a_session(room):
    private = {
        f"{path.relative_to(SERVICES)}: {function.name}"
        for path in modules_of(room)
        for function in _taking_sessions(path)
        if function.name.startswith("_")
    }

    assert private <= READERS.keys()


def _imported_from_storage(path: Path) -> list[str]:
    return [
        alias.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("scalewatch.storage")
        for alias in node.names
    ]


def _taking_sessions(path: Path) -> list[ast.FunctionDef]:
    return [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(argument.arg == "session" for argument in node.args.args)
    ]
