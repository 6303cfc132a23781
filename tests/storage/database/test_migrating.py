"""Several processes that migrate one database."""

from contextlib import ExitStack

from scalewatch.storage.database import schema
from support.servers.processes import running


def test_processes_that_migrate_at_once_wait_for_each_other(blank):
    url = blank.url.render_as_string(hide_password=False)
    with ExitStack() as started:
        processes = [
            started.enter_context(
                running(["migrate"], {"SCALEWATCH_DATABASE_URL": url})
            )
            for _ in range(4)
        ]
        for each in processes:
            each.communicate()

    assert [each.returncode for each in processes] == [0] * 4
    assert schema.version(blank) == schema.newest()
