"""The command that a refusal prints reads the file that was refused."""

import re
import shlex

import pytest
from click.testing import CliRunner

from scalewatch.cli import main

ODD = {
    "header_of_numbers.csv": "Kernel,1,2,4\nCopy (B/s),11,21,39\nAdd (B/s),12,23,43\n",
    "sizes_beside.csv": "Cells,1,2\n1000,10.5,5.5\n2000,20.5,10.5\n",
    "no_header.csv": "4,12.5\n8,6.6\n16,3.7\n",
    "no_header.txt": "4 12.5\n8 6.6\n16 3.7\n",
    "log.txt": "Starting\nloaded mesh\nsolve finished in 12.31 s\nbye\n",
    "runs.txt": "Using 4 processes\nTotal: 31.5 seconds\nUsing 8 processes\n"
    "Total: 16.5 seconds\n",
    "names.csv": "name,foo,bar\na,1.5,2.5\nb,2.5,3.5\n",
    "counts.csv": "run,alpha,beta,time\nx,1,7,3.5\ny,2,9,2.5\nz,3,4,1.5\n",
    "rates.csv": "p,alpha\n2,x\n4,y\n",
    "perf.txt": " Performance counter stats for a:\n\n 1.25 seconds time elapsed\n",
    "named.txt": "bench/sort/1024 3.5 us\nbench/sort/2048 7.1 us\n",
    "status.csv": "p,time,status\n2,3.5,fine-ish\n4,2.5,ok\n",
}
ASKS_FOR_MORE = {"rates.csv"}
"""Files of which no command would make values."""

_OPTIONS = re.compile(r"`(--[^`]+)`|(--column ignore=\w+)")
_HEADER = re.compile(r"`sed '1i ([^']*)' FILE")
BASE = ["--project", "x", "--machine", "m", "--commit", "c", "--dry-run"]


def run(path, *options):
    return CliRunner().invoke(main, ["import", str(path), *BASE, *options])


@pytest.mark.parametrize("name", sorted(ODD.keys() - ASKS_FOR_MORE))
def test_printed_command_reads_what_was_refused(tmp_path, name) -> None:
    path = tmp_path / name
    path.write_text(ODD[name])

    refusal = run(path)
    header = _HEADER.search(refusal.stderr)
    options = _OPTIONS.search(refusal.stderr)
    if header:
        path.write_text(f"{header[1]}\n{ODD[name]}")
    said = shlex.split(next(filter(None, options.groups()))) if options else []
    answer = run(path, *said)

    assert refusal.exit_code != 0
    assert header or said, refusal.stderr
    assert answer.exit_code == 0, answer.stderr
    assert "would be posted" in answer.stdout


@pytest.mark.parametrize("name", sorted(ODD))
def test_refusal_names_its_line_and_no_list_alone(tmp_path, name) -> None:
    path = tmp_path / name
    path.write_text(ODD[name])

    said = run(path).stderr

    assert re.search(r"line \d+", said), said
    assert "google-benchmark" not in said
