"""`scalewatch thin`: export old repetitions, then keep some of them."""

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import click
import zstandard

from scalewatch.cli.database import configured, opened, prepare
from scalewatch.services import retention
from scalewatch.services.policies import administered, policy_of
from scalewatch.storage import payloads
from scalewatch.storage.session import Sessions, sessions_of, transact

AT_ONCE: Final = 100
"""Runs that are exported, and only then thinned."""

EPILOG: Final = """
\b
Example:
  scalewatch thin --export /archive/scalewatch   (once a day)
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
    again. Summaries stay: no page loses a number.
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
                done = _thin(sessions, name, policy.kept_repetitions, folder)
                click.echo(f"{name}: {done:,} runs were thinned.")
        if not any(policy.kept_repetitions for policy in limits.values()):
            click.echo("No project thins its repetitions: its settings would say so.")


def _thin(sessions: Sessions, project: str, kept: int, folder: Path) -> int:
    after, done = 0, 0
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    while True:
        with sessions.reading() as session:
            ids = retention.due(session, project, after, AT_ONCE)
            bodies = [payloads.body_of(session, run_id) for run_id in ids]
        if not ids:
            return done
        file = folder / f"{_plain(project)}-{stamp}-{after}.jsonl.zst"
        _export(file, bodies)
        for run_id in ids:
            transact(sessions, partial(retention.thin, run_id=run_id, kept=kept))
        note = partial(retention.note, project=project, runs=len(ids), export=str(file))
        transact(sessions, note)
        after, done = ids[-1], done + len(ids)


def _export(file: Path, bodies: list[bytes]) -> None:
    """Write runs to a file; it is on disk before anything is removed."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = b"".join(_line(zstandard.decompress(body)) for body in bodies)
        with file.open("xb") as output:
            output.write(zstandard.compress(lines))
            output.flush()
            os.fsync(output.fileno())
    except OSError as error:
        reason = f"{file}: {error.strerror}; nothing of it was removed"
        raise click.ClickException(reason) from None


def _line(run: bytes) -> bytes:
    """Write a run as one line; as posted it may have many, but none within a text."""
    return run.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name)[:80]
