"""Several processes that migrate one database."""

import subprocess
import sys
from contextlib import ExitStack

from scalewatch.storage.database import schema

UPGRADE = """
import sys
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect

print("ready", flush=True)
sys.stdin.read()
schema.upgrade(connect(sys.argv[1]))
"""


def test_processes_that_migrate_at_once_wait_for_each_other(blank):
    url = blank.url.render_as_string(hide_password=False)
    command = [sys.executable, "-c", UPGRADE, url]
    with ExitStack() as started:
        processes = [
            started.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            for _ in range(4)
        ]
        for each in processes:
            each.stdout.readline()
        for each in processes:
            each.stdin.close()

    assert [each.returncode for each in processes] == [0] * 4
    assert schema.version(blank) == schema.newest()
