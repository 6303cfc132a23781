"""`scalewatch publish`: the pages of a store as files for any web space."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.cli.files.stored import reports_of, tell_faults
from scalewatch.cli.publishing.folder import NoFolderForSite, SiteFolder
from scalewatch.cli.stores.store import REFUSED, UNREADABLE, store_option
from scalewatch.errors import NoStore
from scalewatch.stores.files import StoreFault
from scalewatch.stores.store import Store

EPILOG: Final = """
\b
WHERE is a folder, or a branch of git, as for `scalewatch store`.

\b
Examples:
  scalewatch publish --store results --out site
  scalewatch publish --store results --also pull.jsonl --out preview
  scalewatch publish --store branch:scalewatch-results@origin --out public \\
      --base-url https://team.example.org/code --cache ~/.cache/scalewatch/code.db

\b
A site shows the newest commits, those with a tag, and those of open regressions;
older ones are in its histories. `scalewatch serve --store WHERE` shows all. It needs no
server: any web space, an artifact of a CI job, a folder on a disk. Files of DIR that
are not the site's own stay.

\b
Exit codes:
  0  the site is there
  2  wrong usage
  3  a file or line of the store cannot be read: it is named; what can be read is shown
  4  the site cannot be written
"""


@click.command("publish", epilog=EPILOG)
@store_option
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the site: a new one, an empty one, or that of a site before.",
)
@click.option(
    "--commits",
    type=click.IntRange(1, 1000),
    default=30,
    show_default=True,
    help="Newest commits of each project that have pages of their own.",
)
@click.option(
    "--cache",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Database that is kept: the next time only new runs are read and analysed. "
    "Histories then go on showing the models of commits that had pages before.",
)
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    help="Address that the site will have, for its feeds.",
)
@click.option("--project", help="The only project to show; all of them unless given.")
@click.option(
    "--also",
    multiple=True,
    metavar="FILE",
    help="Run reports that are not in the store, as those of a pull request.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    where: str,
    out: Path,
    **options: Any,
) -> None:
    """Write the pages of a store as a site that needs no server.

    The same store makes the same files, in any order and on any day.
    """
    base = _base(options["base_url"])
    try:
        folder = SiteFolder.at(out)
        faults = _publish(where, folder, base, options)
    except NoStore as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(UNREADABLE)
    except NoFolderForSite as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(REFUSED)
    tell_faults(faults)
    size = sum(folder.written.values()) / 1e6
    click.echo(
        f"{len(folder.written)} files, {size:.1f} MB, {folder.changed} of them new or "
        f"changed: open {out / 'index.html'}"
    )
    ctx.exit(UNREADABLE if faults else 0)


def _base(address: str) -> str:
    """Return the address of a site without the slash at its end."""
    if address and not address.startswith(("https://", "http://")):
        message = f"{address!r} does not begin with https:// or http://"
        raise click.BadParameter(message, param_hint="--base-url")
    return address.rstrip("/")


def _publish(
    where: str, folder: SiteFolder, base: str, options: Mapping[str, Any]
) -> list[StoreFault]:
    """Write the site of a store; return what of the store cannot be read."""
    # The application takes longer to import than --help may.
    from scalewatch.app import create_app  # noqa: PLC0415
    from scalewatch.cli.publishing.addresses import Addresses  # noqa: PLC0415
    from scalewatch.cli.publishing.site import Site  # noqa: PLC0415
    from scalewatch.cli.stores.filling import filled, with_reports  # noqa: PLC0415
    from scalewatch.services.stores import fill  # noqa: PLC0415
    from scalewatch.services.stores.kept import kept_commits  # noqa: PLC0415
    from scalewatch.services.stores.order import only_project  # noqa: PLC0415
    from scalewatch.storage.database.session import connect  # noqa: PLC0415

    also, wrong = reports_of(options["also"])
    with ExitStack() as stack:
        contents = stack.enter_context(with_reports(Store.at(where), also))
        if options["project"] is not None or not contents.files:
            contents = only_project(contents, options["project"])
        sessions, came = stack.enter_context(filled(contents, cache=options["cache"]))
        projects = {}
        for name in fill.project_names(sessions):
            with sessions.reading() as session:
                kept = kept_commits(session, name, options["commits"])
            fill.analyse(sessions, name, kept.compared)
            projects[name] = kept
        if not projects:
            tell_faults(came.faults)
            raise NoStore(where, "none of its runs can be read")
        with sessions.reading() as session:
            engine = connect(str(session.get_bind().engine.url))
        addresses = Addresses(projects, has_base=bool(base))
        app = create_app(engine, embedded_worker=False, frozen=addresses.keys)
        Site(app, addresses, folder, base).write()
        engine.dispose()
    return [*wrong, *came.faults]
