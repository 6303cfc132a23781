"""`scalewatch serve`: the dashboard and its API."""

import errno
import fcntl
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import click
import uvicorn
from sqlalchemy import Engine
from uvicorn.supervisors import Multiprocess

from scalewatch.cli.files.stored import tell_faults
from scalewatch.cli.server import database
from scalewatch.jobs.companion import companion
from scalewatch.jobs.endings import heed_hangup
from scalewatch.services.access import callers, tokens
from scalewatch.services.stores import fill
from scalewatch.settings import get_settings
from scalewatch.storage.database.session import sessions_of
from scalewatch.stores.store import Store
from scalewatch.web.logs import log_config
from scalewatch.web.process import Config
from scalewatch.web.protection.headers import is_loopback
from scalewatch.web.protection.limits import PunctualProtocol
from scalewatch.web.requests import FOLDER

ADDRESS_IN_USE: Final = 3
"""Exit code if the port is occupied."""

UNPROTECTED: Final = 4
"""Exit code if strangers could reach a server that asks for no token."""

GRACE_SECONDS: Final = 3
"""How long requests may go on after Ctrl-C."""

METRICS: Final = "scalewatch-metrics-"
"""How the names of folders of counters begin."""


class CannotListen(click.ClickException):
    """The address is not ours to listen at."""

    exit_code = ADDRESS_IN_USE


class Unprotected(click.ClickException):
    """Whoever reaches the address could change everything."""

    exit_code = UNPROTECTED


EPILOG: Final = """
\b
Examples:
  scalewatch serve
  SCALEWATCH_PORT=8001 scalewatch serve
  SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch serve --workers 4
  scalewatch serve --host 0.0.0.0 --open
  scalewatch serve --store branch:scalewatch-results@origin
"""


@click.command("serve", epilog=EPILOG)
@click.option(
    "--host", help="Address to listen at.  [$SCALEWATCH_HOST; default: 127.0.0.1]"
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen at, 0 for a free one.  [$SCALEWATCH_PORT; default: 8000]",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that serve.",
)
@click.option(
    "--open",
    "is_open",
    is_flag=True,
    help="Let everybody do everything while there is no token.  [$SCALEWATCH_OPEN]",
)
@click.option(
    "--first-token",
    "wants_token",
    is_flag=True,
    help="Where there is no token, make one that may do everything, and print it once.",
)
@click.option(
    "--store",
    "where",
    metavar="WHERE",
    help="Show a store, read-only, from a database made of it: DIR, or "
    "branch:NAME[@REMOTE].",
)
def command(  # noqa: PLR0913 - one per option
    *,
    host: str | None,
    port: int | None,
    workers: int,
    is_open: bool,
    wants_token: bool,
    where: str | None,
) -> None:
    """Serve the dashboard and its API until Ctrl-C.

    Without any setting the data lie in a database of your own, below
    $SCALEWATCH_HOME, which is created and migrated as needed. Whoever uses this
    machine may then do everything. Other addresses than its own are opened only after
    `scalewatch token create` has made a token, with --first-token, or with --open.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
    heed_hangup()
    if where is not None:
        _show_store(where)
    settings = database.configured()
    database.check_broker(settings)
    listening = _listen(
        settings.host if host is None else host,
        settings.port if port is None else port,
    )
    with listening, ExitStack() as beside:
        with database.opened(settings) as engine:
            database.prepare(engine)
            database.seal_secrets(engine)
            if wants_token:
                _make_first_token(engine)
            if not is_open and not settings.open:
                _refuse_strangers(engine, listening.getsockname()[0])
        # For the processes that serve, which count the requests of a client alone.
        share = -(-settings.requests_per_minute // workers)
        os.environ["SCALEWATCH_REQUESTS_PER_MINUTE"] = str(share)
        if is_open:
            os.environ["SCALEWATCH_OPEN"] = "true"
        click.echo(f"Scalewatch is at {_url(listening)}  (Ctrl-C stops it)")
        if workers > 1 and FOLDER not in os.environ:
            os.environ[FOLDER] = str(beside.enter_context(metrics_folder()))
        if settings.embedded_worker and not settings.broker_url:
            # Jobs are done beside those that serve, not by each of them.
            os.environ["SCALEWATCH_EMBEDDED_WORKER"] = "false"
            beside.enter_context(companion(settings.database_url))
        get_settings.cache_clear()
        _serve(listening, workers, settings.log_format)


def _show_store(where: str) -> None:
    """Serve a database that is made of a store, and kept for the next time."""
    from scalewatch.cli.stores import filling  # noqa: PLC0415

    # A branch is of the repository at hand, a folder may be relative to this one.
    digest = sha256(f"{Path.cwd()} {where}".encode()).hexdigest()[:16]
    cache = get_settings().home / "stores" / f"{digest}.db"
    contents = Store.at(where).contents()
    click.echo(f"Reading {len(contents.files):,} files of {where} …", err=True)
    with filling.filled(contents, cache=cache) as (sessions, came):
        tell_faults(came.faults)
        fill.queue_others(sessions)
    os.environ["SCALEWATCH_DATABASE_URL"] = f"sqlite:///{cache.absolute()}"
    os.environ["SCALEWATCH_READ_ONLY"] = "true"
    get_settings.cache_clear()


def _listen(host: str, port: int) -> socket.socket:
    """Return the listening socket; it is bound before anything else is begun."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        # The words of the operating system; asyncio's add the address again.
        number = getattr(error, "errno", None) or 0
        words = os.strerror(number) if number > 0 else str(error)
        reason = f"cannot listen at {host} port {port}: {words}"
        if number == errno.EADDRINUSE:
            reason += f"; choose another, such as --port {port + 1}"
        raise CannotListen(reason) from None
    listening.set_inheritable(True)
    return listening


def _make_first_token(engine: Engine) -> None:
    """Print a token that may do everything, unless there is any."""
    with sessions_of(engine).writing.begin() as session:
        if tokens.is_any(session):
            return
        _, secret = tokens.create(session, "first", callers.Role.ADMIN, None)
    click.echo(
        "There was no token yet. This one may do everything, and is not shown again: "
        f"{secret}"
    )


def _refuse_strangers(engine: Engine, host: str) -> None:
    """Refuse an address that others reach as long as there is no token."""
    if is_loopback(host):
        return
    with sessions_of(engine).reading() as session:
        if not tokens.is_any(session):
            raise Unprotected(
                f"everybody who reaches {host} could change everything: make a token "
                "first, `scalewatch token create NAME --all-projects --role admin`, "
                "let --first-token make it, or say --open"
            )


def _url(listening: socket.socket) -> str:
    host, port, *_ = listening.getsockname()
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared with, not bound to
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _serve(listening: socket.socket, workers: int, log_format: str) -> None:
    config = Config(
        "scalewatch.app:served",
        factory=True,
        http=PunctualProtocol,
        workers=workers,
        access_log=False,
        log_config=log_config(log_format),
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    try:
        if workers == 1:
            server.run(sockets=[listening])
        else:
            # uvicorn would serve on at SIGHUP, with new processes, and at SIGQUIT;
            # what ends a command ends them.
            endings = {n: signal.getsignal(n) for n in (signal.SIGHUP, signal.SIGQUIT)}
            processes = Multiprocess(config, sockets=[listening])
            for number, ending in endings.items():
                signal.signal(number, ending)
            processes.run()
    except KeyboardInterrupt:
        return  # how one stops a server; it has shut down in order before
    if workers == 1 and not server.started:
        raise click.ClickException("the server could not start; see above")


@contextmanager
def metrics_folder() -> Iterator[Path]:
    """Make a folder in which the processes of a server put their counters together.

    It is locked by the server that made it, and a lock ends with its process, however
    that ends: so the next server removes the folders of those that were killed.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{METRICS}*"):
        with suppress(OSError):  # it is another user's, still used, or gone by now
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(lock)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=METRICS))
        lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            break
        os.close(lock)  # another start took it for abandoned
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
