"""`scalewatch thin`: export old repetitions, then keep some of them."""

from functools import partial
from pathlib import Path
from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, prepare
from scalewatch.services.access.policies import administered, policy_of
from scalewatch.services.operations import retention
from scalewatch.storage.database.session import Sessions, sessions_of, transact

EPILOG: Final = """
\b
Example:
  scalewatch thin --export /archive/scalewatch
"""


@click.command("thin", epilog=EPILOG)
@click.option("--project", help="Only this one.")
@click.option(
    "--export",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where what is removed goes.  [default: exports below $SCALEWATCH_HOME]",
)
def command(*, project: str | None, folder: Path | None) -> None:
    """Thin repetitions that are older than the settings of their project say.

    The runs as they were posted are exported first, as JSON Lines that can be posted
    again. Summaries stay: no page loses a number. Workers do the same by themselves
    every $SCALEWATCH_THIN_HOURS (24; 0 for never).
    """
    settings = configured()
    with opened(settings) as engine:
        prepare(engine)
        sessions = sessions_of(engine)
        with sessions.reading() as session:
            names = [project] if project else list(administered(session))
            limits = {name: policy_of(session, name) for name in names}
        folder = folder or settings.home / "exports"
        for name, policy in limits.items():
            if policy.kept_repetitions is not None:
                done = _thin(sessions, name, folder)
                click.echo(f"{name}: {done:,} runs were thinned.")
        if not any(policy.kept_repetitions for policy in limits.values()):
            click.echo("No project thins its repetitions: its settings would say so.")


def _thin(sessions: Sessions, project: str, folder: Path) -> int:
    after, done = 0, 0
    while (batch := _exported(sessions, project, after, folder)) is not None:
        transact(sessions, partial(retention.thin_all, batch=batch))
        after, done = batch.runs[-1], done + len(batch.runs)
    return done


def _exported(
    sessions: Sessions, project: str, after: int, folder: Path
) -> retention.ThinnableRuns | None:
    with sessions.reading() as session:
        try:
            return retention.export_next(session, project, after, folder)
        except OSError as error:
            place = error.filename or folder
            reason = f"{place}: {error.strerror}; nothing of it was removed"
            raise click.ClickException(reason) from None
