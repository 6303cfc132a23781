"""Names of the formats, and the modules that read them.

Nothing is imported here: commands name the formats in their help, which may not take
as long as the readers take to load.
"""

from collections.abc import Mapping
from typing import Final

AUTO: Final = "auto"
TEXT: Final = "text"
JSON: Final = "json"
CSV: Final = "csv"
MARKDOWN: Final = "markdown"
COMMENTED: Final = "commented-table"
LINES: Final = "lines"

BASE_TIME: Final = "base-time"
"""Key, among columns, of the time of the base of speed-ups and efficiencies."""

ACROSS: Final = ("max", "sum", "mean")
"""Statistics over the processes of a profile, the default first."""

TEXT_READERS: Final[Mapping[str, str]] = {
    "gprof": "profiles.gprof",
    "tau": "profiles.tau",
    "caliper": "profiles.caliper",
    "osu": "benchmarks.osu",
    "nccl": "benchmarks.nccl",
    "reframe": "suites.reframe_perflog",
    "lammps": "applications.lammps",
    "gromacs": "applications.gromacs",
    "hpl": "benchmarks.hpl",
    "hpcg": "benchmarks.hpcg",
    "imb": "benchmarks.imb",
    "petsc": "applications.petsc",
    "sacct": "suites.sacct",
    "google-benchmark-csv": "benchmarks.google_benchmark_csv",
    LINES: "lines",
    MARKDOWN: "tables.markdown",
    COMMENTED: "tables.commented",
}
"""Modules by format; each knows the beginning of its texts and reads them."""

PRINTED: Final = frozenset({"osu", "nccl", "imb", "hpl", COMMENTED, LINES, MARKDOWN})
"""Logs whose results are printed as they are measured."""

SUMMARISED: Final = frozenset({"hpcg", "lammps", "gromacs", "petsc"})
"""Logs whose results are printed at the end of a run."""

TITLES: Final[Mapping[bytes, str]] = {
    b"OSU ": "osu",
    b"OMB-Py ": "osu",
    b"# nThread ": "nccl",
    b"LAMMPS (": "lammps",
    b"Loop time of ": "lammps",
    b":-) GROMACS": "gromacs",
    b":-)  G  R  O  M  A  C  S": "gromacs",
    b"HPLinpack ": "hpl",
    b"T/V  ": "hpl",
    b"HPCG-Benchmark": "hpcg",
    b"# Benchmarking ": "imb",
    b"MPI Benchmark": "imb",
    b"PETSc Performance Summary:": "petsc",
}
"""Words by which logs are sought far behind what their jobs print, and the format."""

DATABASE: Final = "database"

BINARY_READERS: Final[Mapping[str, str]] = {
    DATABASE: "tables.database",
    "cube": "profiles.cube",
}
"""Modules by format; each knows the first bytes of its files and reads them."""

ASV: Final = "asv"
PYTEST_BENCHMARK: Final = "pytest-benchmark"

JSON_READERS: Final[Mapping[str, str]] = {
    "google-benchmark": "benchmarks.google_benchmark",
    "reframe-json": "suites.reframe_json",
    PYTEST_BENCHMARK: "benchmarks.pytest_benchmark",
    "hyperfine": "benchmarks.hyperfine",
    "github-action-benchmark": "benchmarks.action_benchmark",
    "criterion": "benchmarks.criterion",
    "list": "benchmarks.named_values",
    "bmf": "benchmarks.bencher",
    "exacb": "suites.exacb",
    "sacct-json": "suites.sacct_json",
    ASV: "suites.asv",
}
"""Modules by format; each knows its documents and reads them."""

BENCHMARKS: Final = frozenset(
    {
        ASV,
        *("pytest-benchmark", "hyperfine", "github-action-benchmark", "criterion"),
        *("list", "bmf"),
    }
)
"""Formats of one value a benchmark and commit, most of them without a parameter."""

SCRIPT: Final = "window.BENCHMARK_DATA"
"""Name that a script of github-action-benchmark gives to its JSON."""

RUNS: Final = "runs"
"""The module of our own run reports."""

UNNAMED_JSON: Final[Mapping[str, str]] = {
    "params": "extrap_json",
    "measurements": "extrap_json",
    "results": RUNS,
}
"""Modules by the key that tells objects of the format "json" from others."""

RECORDS: Final = "tables.records"
"""The module of objects of JSON that are the rows or the columns of a table."""

TABLES: Final = "tables.separated"
"""The module of tables with a header."""

TABLE_READERS: Final[Mapping[str, str]] = {
    CSV: TABLES,
    MARKDOWN: TEXT_READERS[MARKDOWN],
    COMMENTED: TEXT_READERS[COMMENTED],
    DATABASE: BINARY_READERS[DATABASE],
}
"""Modules of formats whose columns may mean what a user says."""

FORMATS: Final = (
    *(AUTO, TEXT, JSON, CSV),
    *TEXT_READERS,
    *JSON_READERS,
    *BINARY_READERS,
)
"""All names; JSON is Extra-P's, its JSON Lines, and our run reports."""
