"""Files of failed rows, mixed units, torn numbers: no value that they do not hold."""

import json
import math
import string
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scalewatch.cli import main
from scalewatch.importers import read_files
from scalewatch.importers.lines import program_of
from scalewatch.importers.settings import SettingRules
from scalewatch.outcomes import judge_cell

SIZES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0}
PROCESSES = (2, 4, 8, 16, 32)
OUTCOMES = {
    **dict.fromkeys(("status", "State", "slurm_state", "outcome"), "COMPLETED"),
    **dict.fromkeys(("exit_code", "returncode", "rc", "job_exit_code"), "0"),
    **dict.fromkeys(("passed", "converged", "run_ok", "verified"), "true"),
    **dict.fromkeys(("error", "n_errors", "failures"), "0"),
}
"""Columns about outcomes, each with a success."""

FAILURES = ("OUT_OF_MEMORY", "timeout", "FAILED", "137", "killed", "false", "CANCELLED")
TORN = (
    "1.2.3",
    "1.5e",
    "12 34",
    "--5",
    "4..2",
    "0x1p",
    "1e400",
    "inf",
    "7 furlongs/s/s!",
)


@dataclass(frozen=True)
class Row:
    """A row: where, what was measured, in which unit, and how the run ended."""

    p: int
    value: float
    unit: str
    outcome: str
    torn: str | None = None

    @property
    def cell(self) -> str:
        return self.torn or f"{self.value!r} {self.unit}"


@dataclass(frozen=True)
class Table:
    """Rows, and the name of the column about outcomes."""

    column: str
    rows: tuple[Row, ...]

    def held(self) -> set[tuple[int, float]]:
        """Return setting and seconds of the rows that hold a success."""
        return {
            (row.p, float(f"{row.value * SIZES[row.unit]:.9g}"))
            for row in self.rows
            if row.torn is None and row.outcome == OUTCOMES[self.column]
        }

    @property
    def is_understood(self) -> bool:
        return len(self.held()) == len({*self.rows})

    def csv(self) -> str:
        lines = [f"{row.p},{row.cell},{row.outcome}" for row in self.rows]
        return "\n".join([f"p,time,{self.column}", *lines, ""])

    def markdown(self) -> str:
        lines = [f"| {row.p} | {row.cell} | {row.outcome} |" for row in self.rows]
        head = [f"| p | time | {self.column} |", "|---|---|---|"]
        return "\n".join(["# Results", "", *head, *lines, ""])

    def jsonl(self) -> str:
        lines = [
            {"params": {"p": row.p}, "metric": "time", "unit": row.unit}
            | {"value": row.torn or row.value, self.column: row.outcome}
            for row in self.rows
        ]
        return "\n".join(map(json.dumps, lines)) + "\n"

    def log(self) -> str:
        lines = [
            f"ranks: {row.p}\n{self.column} = {row.outcome}\nLoop time = {row.cell}\n"
            for row in self.rows
        ]
        return "\n".join(lines)


LINES = {
    "auto": SettingRules(
        programs=[
            program_of(
                "--line",
                {
                    "lines": [
                        "ranks: {p}",
                        *(f"{name} = {{{name}}}" for name in OUTCOMES),
                        "Loop time = {time}",
                    ]
                },
            )
        ]
    )
}
"""Patterns of the lines of a log."""

words = st.text(string.ascii_letters, min_size=3, max_size=9)


@st.composite
def tables(draw) -> Table:
    column = draw(st.sampled_from([*OUTCOMES]))
    fine = OUTCOMES[column]
    spoiled = st.sampled_from(FAILURES) | words
    rows = []
    for p in PROCESSES:
        for repetition in range(3):
            value = round((3 + p**0.5) * (1 + repetition / 64), 6)
            row = Row(p, value, draw(st.sampled_from([*SIZES])), fine)
            row = replace(row, value=float(f"{value / SIZES[row.unit]:.9g}"))
            kind = draw(st.sampled_from(["fine"] * 12 + ["failed", "torn"]))
            if kind == "failed":
                word = draw(spoiled.filter(lambda said: not is_success(column, said)))
                row = replace(row, outcome=word)
            elif kind == "torn":
                row = replace(row, torn=draw(st.sampled_from(TORN)))
            rows.append(row)
    return Table(column, tuple(rows))


def is_success(column: str, word: str) -> bool:
    outcome = judge_cell(column, word)
    return outcome is not None and bool(outcome.has_succeeded or outcome.is_absent)


def read(text: str, ending: str):
    with TemporaryDirectory() as folder:
        path = Path(folder, f"run.{ending}")
        path.write_text(text)
        return read_files([str(path)], rules=LINES if ending == "log" else {})


@pytest.mark.parametrize(
    ("form", "ending"),
    [("csv", "csv"), ("markdown", "md"), ("jsonl", "jsonl"), ("log", "log")],
)
@given(table=tables())
def test_no_value_that_the_file_does_not_hold_as_a_success(form, ending, table) -> None:
    # A line of a log may go on with other numbers and words.
    assume(form != "log" or all(" " not in (row.torn or "") for row in table.rows))
    reading = read(getattr(table, form)(), ending)

    held = table.held()
    for measured in reading.scans.measurements():
        assert measured.subject.unit == "s"
        at = dict(zip(measured.subject.parameters, measured.coordinate, strict=True))
        for value in measured.values:
            key = int(at["p"]), float(f"{value:.9g}")
            assert math.isnan(value) or key in held


@given(table=tables())
@settings(max_examples=12)
def test_no_green_gate_where_a_part_was_not_understood(table) -> None:
    fine = replace(
        table,
        rows=tuple(
            replace(row, outcome=OUTCOMES[table.column], torn=None)
            for row in table.rows
        ),
    )
    with TemporaryDirectory() as folder:
        new, old = Path(folder, "new.csv"), Path(folder, "old.csv")
        new.write_text(table.csv())
        old.write_text(fine.csv())

        done = CliRunner().invoke(main, ["gate", str(new), "--baseline", str(old)])

    assert (done.exit_code == 0) is table.is_understood, done.output


@pytest.mark.parametrize("value", ["0", "9.99e99", "3.4e38", "1e13", "-1"])
def test_time_that_no_program_takes_is_a_failed_run(write, value) -> None:
    reading = read_files([write(f"ranks,time\n1,10.5\n2,{value}\n4,3.5\n")])

    [series] = reading.series
    assert math.isnan(series.values[1, 0])
    assert any("counts as failed" in note for note in reading.left_out)


def test_part_of_a_program_may_take_no_time(write) -> None:
    series = read_files([write("ranks,total [s],comm [s]\n1,10.5,0\n2,5.5,0.25\n")])

    assert [each.values[0, 0] for each in series.series] == [10.5, 0]


@pytest.mark.parametrize("name", ["rank", "MPI rank"])
def test_numbers_of_ranks_are_no_counts_of_them(write, name) -> None:
    rows = "".join(f"{rank},10.{rank}\n" for rank in range(1, 9))

    [error] = read_files([write(f"{name},time\n{rows}")]).unreadable

    assert f"repetition={name}" in str(error)
    assert "--at p=8" in str(error)
