"""`scalewatch remove`: a run, commit, machine or project, with all that hangs on it."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final
from uuid import UUID

import click
from sqlalchemy.orm import Session

from scalewatch.cli.server.database import configured, opened, prepare
from scalewatch.services.operations import removals
from scalewatch.services.operations.removals import Removed
from scalewatch.storage.database.session import Sessions, sessions_of, transact

Removing = Callable[[Session], Removed]

EPILOG: Final = """
\b
Examples:
  scalewatch remove commit 3f2a9c1d --project mpich --dry-run
  scalewatch remove machine jureca --project mpich
  scalewatch remove run 8c6f2f0e-9a0c-4f57-8f0c-2d8f6a1f3b11 --yes
  scalewatch remove project mpich

All of it goes in one transaction: wholly, or not at all. Meanwhile nothing is posted.
What is left of a project and depended on it is analysed anew. The audit log says what
was removed; only a backup brings it back.
"""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all removals have."""
    yes = click.option("--yes", is_flag=True, help="Do not ask.")
    dry = click.option(
        "--dry-run", is_flag=True, help="Say what would go, and remove nothing."
    )
    return dry(yes(command))


_of_project: Final = click.option("--project", required=True, help="Of this project.")


@click.group("remove", epilog=EPILOG)
def command() -> None:
    """Remove a run, commit, machine or project, with all that hangs on it."""


@command.command("run", epilog=EPILOG)
@click.argument("uuid", type=click.UUID)
@_options
def run(*, uuid: UUID, **how: Any) -> None:
    """Remove the run with an id, as its page shows it."""
    _remove(partial(removals.remove_run, uuid=uuid), **how)


@command.command("commit", epilog=EPILOG)
@click.argument("sha")
@_of_project
@_options
def commit(*, sha: str, project: str, **how: Any) -> None:
    """Remove the commit that a hash, its beginning or a tag means."""
    _remove(partial(removals.remove_commit, project_name=project, reference=sha), **how)


@command.command("machine", epilog=EPILOG)
@click.argument("name")
@_of_project
@_options
def machine(*, name: str, project: str, **how: Any) -> None:
    """Remove a machine of a project."""
    _remove(partial(removals.remove_machine, project_name=project, name=name), **how)


@command.command("project", epilog=EPILOG)
@click.argument("name")
@_options
def project(*, name: str, **how: Any) -> None:
    """Remove a project with its settings, tokens and webhooks."""
    _remove(partial(removals.remove_project, name=name), **how)


def _remove(remove: Removing, *, dry_run: bool, yes: bool) -> None:
    with opened(configured()) as engine:
        prepare(engine)
        sessions = sessions_of(engine)
        if dry_run:
            click.echo(f"Would remove {_sentence(_tried(sessions, remove))}")
            return
        if not yes:
            _confirm(_tried(sessions, remove))
        click.echo(f"Removed {_sentence(transact(sessions, remove))}")


def _tried(sessions: Sessions, remove: Removing) -> Removed:
    """Return what a removal removes, and take it back."""
    with sessions.writing() as session:
        removed = remove(session)
        session.rollback()
    return removed


def _confirm(removed: Removed) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("nobody is there to be asked: say --yes, or --dry-run")
    click.confirm(f"Remove {_sentence(removed)}\nGo on?", abort=True)


def _sentence(removed: Removed) -> str:
    rows = ", ".join(f"{number:,} {noun}" for noun, number in removed.rows.items())
    anew = f" {removed.analyses:,} analyses are made anew." if removed.analyses else ""
    return f"{removed.what}: {rows}.{anew}"
