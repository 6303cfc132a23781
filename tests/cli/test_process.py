"""The command as a process: signals and pipes."""

import signal
import subprocess
import sys

from support.servers.forked import Forked

MORE_THAN_A_PIPE_HOLDS = 1 << 18


def test_interrupt_while_reading_exits_as_a_process_that_died_of_sigint() -> None:
    with Forked(
        ["model", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        # Returns once the process has begun to read.
        process.stdin.write("# comment\n" * MORE_THAN_A_PIPE_HOLDS)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)

    assert process.returncode == 130
    assert stderr.strip() == "Interrupted."


def test_reader_that_has_seen_enough_is_not_complained_about(
    many_measurements,
) -> None:
    with Forked(
        ["model", str(many_measurements), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        first = process.stdout.readline()
        process.stdout.close()
        stderr = process.stderr.read()

    assert '"region": "f0"' in first
    assert process.returncode == 141
    assert stderr == ""


def test_help_loads_neither_numpy_nor_the_server() -> None:
    ask = (
        "import sys\n"
        "from scalewatch.cli import main\n"
        "main(['model', '--help'], standalone_mode=False)\n"
        "loaded = {'numpy', 'rich', 'pydantic', 'sqlalchemy'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )

    answer = subprocess.run([sys.executable, "-c", ask], check=False, text=True)

    assert answer.returncode == 0
