"""Runs that are made of files."""

from scalewatch.importers import read_files
from scalewatch.services.files.imports import ImportOrigin, runs_of


def test_dependent_settings_are_on_the_wire_and_change_no_identity(tmp_path):
    bare, full = tmp_path / "bare.csv", tmp_path / "full.csv"
    bare.write_text("p,time\n4,8.5\n8,4.5\n16,2.5\n")
    full.write_text("p,nodes,time\n4,1,8.5\n8,1,4.5\n16,2,2.5\n")
    origin = ImportOrigin("x", "m", {"sha": "c"})

    before, after = (
        runs_of(read_files([str(path)]).scans.measurements(), origin).reports
        for path in (bare, full)
    )

    assert [run.dependent for run in after] == [
        {"nodes": 1},
        {"nodes": 1},
        {"nodes": 2},
    ]
    assert [run.coordinate for run in after] == [{"p": 4}, {"p": 8}, {"p": 16}]
    assert [run.id for run in after] == [run.id for run in before]
