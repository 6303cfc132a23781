"""No reading yields a value that a table does not hold as a success."""

import math
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.cli import main
from scalewatch.importers import read_files
from scalewatch.quantities import factor_between
from support.told_tables import SECONDS, ToldRow, ToldTable, told_tables

WRITERS = {
    "csv": lambda table: table.written(","),
    "tsv": lambda table: table.written("\t"),
    "md": ToldTable.markdown,
}
TABLES = st.tuples(told_tables(), st.sampled_from(sorted(WRITERS)))


@given(TABLES)
def test_no_value_is_read_that_is_not_of_a_success(written):
    table, suffix = written
    with TemporaryDirectory() as folder:
        path = Path(folder, f"runs.{suffix}")
        path.write_text(WRITERS[suffix](table))

        reading = read_files([str(path)])

    for series in reading.scans.series():
        p = series.parameters.index("p") if "p" in series.parameters else None
        for setting, values in zip(series.settings, series.values, strict=True):
            at = setting[p] if p is not None else series.configuration["p"]
            held = [
                row.value * factor
                for row in table.rows
                if row.p == at and row.value is not None
                if (factor := factor_between(row.unit, series.unit or ""))
            ]
            assert all(
                value in map(pytest.approx, held)
                for value in values
                if not math.isnan(value)
            ), (series, table)


@given(TABLES)
def test_the_gate_is_green_only_where_all_was_understood(written):
    table, suffix = written
    seconds = [(row.value or 1) * SECONDS.get(row.unit, 1) for row in table.rows]
    earlier = ToldTable(
        ("p", "time (s)"),
        tuple(
            ToldRow(row.p, (str(row.p), str(time)), time)
            for row, time in zip(table.rows, seconds, strict=True)
        ),
    )
    with TemporaryDirectory() as folder:
        now, before = Path(folder, f"now.{suffix}"), Path(folder, "before.csv")
        now.write_text(WRITERS[suffix](table))
        before.write_text(earlier.written(","))

        done = CliRunner().invoke(main, ["gate", str(now), "--baseline", str(before)])

    assert done.exit_code in {0, 1, 2, 3}
    assert done.exit_code or table.is_understood, done.output
