"""`scalewatch token`: who may post, read and administer."""

from datetime import timedelta
from typing import Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scalewatch.cli.server import database
from scalewatch.exporters.documents import json_text
from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role

EPILOG: Final = """
\b
Examples:
  scalewatch token create ci --project mpich --role ingest --days 365
  scalewatch token list
  scalewatch token revoke swt_1a2b3c4d

Once a token was made, the server asks for one: `ingest` to post runs (and read),
`admin` to change a project, `read` to see a private one.
"""


@click.group("token", epilog=EPILOG)
def command() -> None:
    """Make, list and revoke tokens."""


@command.command("create", epilog=EPILOG)
@click.argument("name")
@click.option("--project", help="The project that it is for; it may be new.")
@click.option("--all-projects", is_flag=True, help="For all projects, new ones too.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    required=True,
    help="What its bearer may do; each role includes those before it.",
)
@click.option("--days", type=click.IntRange(1, 36_500), help="It expires after this.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def create(  # noqa: PLR0913 - an option each
    *,
    name: str,
    project: str | None,
    all_projects: bool,
    role: str,
    days: int | None,
    as_json: bool,
) -> None:
    """Make a token and print it, once: only its digest is stored."""
    if (project is None) is not all_projects:
        raise click.UsageError("name one --project, or say --all-projects")
    lifetime = None if days is None else timedelta(days=days)
    with database.sessions() as sessions, sessions.writing.begin() as session:
        token, secret = tokens.create(
            session, name, Role(role), project, lifetime=lifetime
        )
        place = database.shown(session.connection().engine)
    if as_json:
        shown = {name: getattr(token, name) for name in token.__slots__}
        click.echo(json_text({**shown, "token": secret}, indented=True))
        return
    click.echo(secret)
    where = f"project {token.project!r}" if token.project else "all projects"
    until = f", until {token.expires_at:%Y-%m-%d}" if token.expires_at else ""
    click.echo(
        f"Token {token.name!r} may {token.role} in {where}{until}; it is in {place}, "
        "for the servers of this database alone. Keep it: it is not shown again.",
        err=True,
    )


@command.command("list")
@click.option("--project", help="Only those for this project.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def list_(*, project: str | None, as_json: bool) -> None:
    """List tokens by what may be shown of them."""
    with database.sessions() as sessions, sessions.writing.begin() as session:
        listed = tokens.listed(session, project)
        place = database.shown(session.connection().engine)
    if as_json:
        click.echo(json_text(listed, indented=True))
    elif listed:
        Console(highlight=False).print(_table(listed))
    else:
        click.echo(
            f"There is no token in {place}: see `scalewatch token create --help`."
        )


@command.command("revoke")
@click.argument("prefix")
def revoke(*, prefix: str) -> None:
    """End the token that begins with PREFIX, and every login with it."""
    with database.sessions() as sessions, sessions.writing.begin() as session:
        token = tokens.revoke(session, prefix)
    click.echo(f"The token {token.name!r} ({token.prefix}) is revoked.")


def _table(listed: tuple[tokens.Token, ...]) -> Table:
    table = Table("Token", "Name", "Project", "Role", "State", "Last used")
    for token in listed:
        expires, used = token.expires_at, token.last_used_at
        state = f"until {expires:%Y-%m-%d}" if expires else "good"
        if token.revoked_at or not token.is_good:
            state = "revoked" if token.revoked_at else "expired"
        table.add_row(
            token.prefix,
            Text(token.name),
            Text(token.project or "all"),
            token.role,
            state,
            f"{used:%Y-%m-%d %H:%M}" if used else "never",
        )
    return table
