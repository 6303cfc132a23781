"""The bench of `benchmarks/faults`, in a short form and with its own verdict."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.servers.programs import NoProgram, postgres_folder, redis_server

CHECKOUT = Path(__file__).parents[2]
BENCH = (sys.executable, "-m", "benchmarks", "faults", "--minutes", "1")


@pytest.mark.thorough
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_nothing_is_lost_or_changed_while_one_thing_after_the_other_breaks(database):
    try:
        postgres_folder()
        redis_server()
    except NoProgram as missing:
        pytest.skip(str(missing))

    done = subprocess.run(
        [*BENCH, "--database", database],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
