"""What commands say, once: each sentence with the files and words that lead to it.

Other tests of the commands look at exit codes, kinds, numbers and JSON.
"""

from itertools import product
from math import log2
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from support.asv_results import asv_results, sha

ORIGIN = ("--project", "code", "--machine", "jureca", "--commit", "v1.2")
DRY = (*ORIGIN, "--dry-run")
NOBODY = "http://127.0.0.1:9"
PROCESSES = (2, 4, 8, 16, 32, 64)


def table(header: str, *rows: object) -> str:
    return "\n".join([header, *map(str, rows)]) + "\n"


def versions(power: float, factor: float = 1, settings=PROCESSES) -> str:
    """Return a table of two regions, of which `solve` grows with a power of p."""
    scatter = (0.98, 0.99, 1, 1.01, 1.02)
    return table(
        "p,region,time",
        *(
            f"{p},{region},{seconds * s}"
            for p, s in product(settings, scatter)
            for region, seconds in (
                ("solve", factor * (3 + p**power)),
                ("halo", 1 + p**0.5),
            )
        ),
    )


FILES = {
    # a growth of log p, one of p, and a series that is too short
    "measured.csv": table(
        "p,region,time",
        *(f"{p},MPI_Bcast,{1 + 2 * log2(p)}" for p in PROCESSES),
        *(f"{p},MPI_Alltoall,{3 + 4 * p}" for p in PROCESSES),
        *("2,MPI_Barrier,1", "4,MPI_Barrier,2"),
    ),
    "costs.csv": table("p,region,time", *(f"{p},solve,{p}" for p in (2, 4, 8, 16, 32))),
    "calls.csv": table(
        "p,metric,value", *(f"{p},calls,{p - 1}" for p in (4, 8, 16, 32, 64))
    ),
    "few.csv": table("p,time", "32,8", "32,8.1", "64,4.4", "64,4.38", "128,2.5"),
    "rates.csv": table(
        "p,time,bandwidth[GB/s]",
        *(f"{p},{p / 2},{p / 4}" for p in (4, 8, 16, 32, 64)),
    ),
    "weak.csv": table("p,n,time", *(f"{p},{1000 * p},{1 + p}" for p in (2, 4, 8, 16))),
    "splits.csv": table(
        "p,threads,region,value,unit",
        *("1,1,cg,8,s", "1,2,cg,4.2,s", "2,1,cg,4.6,s"),
        *("1,4,cg,3,s", "2,2,cg,2,s", "4,1,cg,2.5,s"),
    ),
    "few-splits.csv": table("p,threads,time", "1,1,8", "1,2,4.2", "2,1,4.6", "1,4,3"),
    "grid.csv": table(
        "p,threads,time",
        *(
            f"{p},{t},{1e-3 * p + 1e-4 * t**2}"
            for p, t in product((1, 2, 4, 8, 16), repeat=2)
        ),
    ),
    "old.csv": versions(1),
    "new.csv": versions(1),
    "steep.csv": versions(2),
    "root.csv": versions(0.5),
    "few-old.csv": versions(1, settings=(32, 64, 128)),
    "few-new.csv": versions(1, 1.3, settings=(32, 64, 128)),
    "part.csv": versions(1, settings=(2, 4, 8, 16, 32)).replace("halo", "other"),
    "word.csv": table("p,time", "2,one"),
    "memory.csv": table("p,function,memory", "4,f,1"),
    "negative.csv": table("p,n,time", *(f"{p},0,1.5" for p in range(2, 12)), "16,8,1"),
    "mixed/a.csv": table("p,time", "4,1", "8,1"),
    "mixed/b.csv": table("p,time", "4,3", "8,3"),
    "mixed/c.csv": table("p,time", "4,5", "8,5"),
}

MODEL = [
    ("measured.csv --expect O(log(p))", "3 series: 1 match, 1 mismatch, 1 without"),
    ("measured.csv --formula", "3 series: 2 without expectation, 1 without model"),
    ("away.txt", "Error: cannot read away.txt: no such file or directory\n"),
    (
        "measured.csv --expect MPI_Bcst=O(p)",
        "Warning: no region is 'MPI_Bcst' (did you mean 'MPI_Bcast'?)\n",
    ),
    ("measured.csv --target n=10", "Warning: a target needs p, not n\n"),
    (
        "measured.csv --deviation O(p)",
        "Warning: the deviation p says nothing without --expect\n",
    ),
    ("costs.csv --worse-than O(p)", "no series scales worse than p\n"),
    ("measured.csv --rank", "Warning: 1 series has no model, hence no rank\n"),
    (
        "rates.csv --rank",
        "Note: 1 series is better higher, hence no cost and no rank\n",
    ),
    (
        "calls.csv",
        (
            "whole numbers, one repetition each, taken as measured with noise; --exact "
            "takes them as exact counts\n"
        ),
    ),
    (
        "few.csv --formula",
        "3 of 5 settings: p = 16 and 256 would show its growth; it falls to 0.3",
    ),
    ("few.csv --formula", "times [0.292, 0.33] from p = 32 to 128"),
    (
        "weak.csv --dry-run",
        (
            "Warning: n and p vary only together, and what grows with p may grow "
            "with n; vary one of them alone to tell\n"
        ),
    ),
    ("calls.csv --path run-{p} --dry-run", "'calls.csv' is not of the pattern"),
    ("calls.csv --across median", "'median' is not one of"),
    (
        "splits.csv --split p*threads",
        "cg: best split of p*threads\n  at 2: p = 1, threads = 2, 4.2 s; next p = 2, ",
    ),
    (
        "splits.csv --split p*threads",
        (
            "at 4: p = 2, threads = 2, 2 s; next p = 4, threads = 1, 2.5 s, 25% off, "
            "of too few repetitions to be sure\n"
        ),
    ),
    ("grid.csv --split p*threads=1024", " off, as the model tells\n"),
    (
        "few-splits.csv --split p*threads=64",
        "several splits of 64 were not measured, and no model tells",
    ),
    ("few.csv --compose 13*8*N", "'13*8*N' is not like 'cg = 2*parallel + 1e-6'\n"),
    (
        "new.csv --since root.csv",
        "another growth, p^(1/2) before and p now (>99%)",
    ),
    ("new.csv --since away.txt", "cannot read away.txt: no such file or directory\n"),
    ("new.csv --since few.csv", "the earlier version was not measured"),
]

GATE = [
    (
        "new.csv --baseline old.csv",
        "✓ new.csv: none of 2 series is worse than old.csv\n",
    ),
    (
        "steep.csv --expect solve=O(p)",
        "solve (time): grows like p^2: not as expected (p)",
    ),
    ("few-new.csv --baseline few-old.csv", "1.3 times as much as before"),
    (
        "part.csv --baseline old.csv",
        "halo (time): was measured at the baseline, not here",
    ),
    ("part.csv --baseline old.csv", "solve (time): not measured at p = 64"),
    ("new.csv", "no earlier version and no expectation"),
    (
        "new.csv --baseline away",
        "there is no file away, and the files know no commit\n",
    ),
    (
        f"asv --commit {sha(1)[:8]}",
        f"is worse than {sha(0)[:12]} (the commit before it here)\n",
    ),
    (
        "asv --commit fffe",
        f"fffe is no commit of these files; they have {sha(0)[:12]}, {sha(1)[:12]}\n",
    ),
    (
        f"--project p --commit c --wait 0 --server {NOBODY}",
        f"Error: {NOBODY} does not answer: Connection refused\n",
    ),
    (
        "--project p --commit c --server ftp://here",
        "'ftp://here' does not begin with http:// or https://\n",
    ),
    ("--project p --commit c --format jnuit", "'jnuit' is not one of"),
]

IMPORT = [
    (
        "measured.csv",
        f"6 runs with 14 results would be posted to {NOBODY}; nothing was.\n",
    ),
    ("word.csv", "word.csv: line 2: expected a number"),
    ("memory.csv --profile", "a profile is of time, and f has memory\n"),
    ("negative.csv", "coordinate.n: 0 is not positive\n"),
    ("negative.csv", "Error: 7 more, for the same reason\n"),
    ("mixed", "Note: mixed/b.csv and 1 more hold series that"),
    ("mixed", "they are repetitions of each other"),
]


@pytest.fixture
def said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content)

    def run(command: str, line: str, *more: str) -> str:
        if line.startswith("asv"):
            asv_results(tmp_path / "asv", 2, lambda _, p: 1 + p)
        return CliRunner().invoke(main, [command, *line.split(), *more]).output

    return run


@pytest.mark.parametrize(("line", "sentence"), MODEL)
def test_sentences_of_model(said, line, sentence):
    assert sentence in said("model", line)


@pytest.mark.parametrize(("line", "sentence"), GATE)
def test_sentences_of_gate(said, line, sentence):
    assert sentence in said("gate", line)


@pytest.mark.parametrize(("line", "sentence"), IMPORT)
def test_sentences_of_import(said, line, sentence):
    assert sentence in said("import", line, *DRY, "--server", NOBODY)


def test_server_that_takes_no_runs_is_named_with_the_reason(said):
    answer = said("import", "measured.csv", *ORIGIN, "--server", NOBODY)

    assert (
        f"{NOBODY} does not answer: Connection refused\n" in answer.partition(": ")[2]
    )
