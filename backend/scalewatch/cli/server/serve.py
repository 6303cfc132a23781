"""`scalewatch serve`: the dashboard and its API."""

import errno
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
import uvicorn
from sqlalchemy import Engine
from uvicorn.supervisors import Multiprocess

from scalewatch.cli.server.broker import check_broker
from scalewatch.cli.server.database import configured, opened, prepare
from scalewatch.cli.server.metrics_folder import metrics_folder
from scalewatch.jobs.companion import companion
from scalewatch.jobs.endings import heed_hangup
from scalewatch.services.access.callers import Role
from scalewatch.services.access.tokens import create, is_any
from scalewatch.settings import Settings, get_settings
from scalewatch.storage.database.session import sessions_of
from scalewatch.web.logs import log_config
from scalewatch.web.metrics import FOLDER
from scalewatch.web.process import Config
from scalewatch.web.protection.limits import PunctualProtocol
from scalewatch.web.protection.protection import is_loopback

ADDRESS_IN_USE: Final = 3
"""Exit code if the port is occupied."""

UNPROTECTED: Final = 4
"""Exit code if strangers could reach a server that asks for no token."""

GRACE_SECONDS: Final = 3
"""How long requests may go on after Ctrl-C."""


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
def command(
    *,
    host: str | None,
    port: int | None,
    workers: int,
    is_open: bool,
    wants_token: bool,
) -> None:
    """Serve the dashboard and its API until Ctrl-C.

    Without any setting the data lie in a database of your own, below
    $SCALEWATCH_HOME, which is created and migrated as needed. Whoever uses this
    machine may then do everything. Other addresses than its own are opened only after
    `scalewatch token create` has made a token, with --first-token, or with --open.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
    heed_hangup()
    settings = configured()
    check_broker(settings)
    listening = _listen(
        settings.host if host is None else host,
        settings.port if port is None else port,
    )
    with listening:
        with opened(settings) as engine:
            prepare(engine)
            if wants_token:
                _make_first_token(engine)
            if not is_open and not settings.open:
                _refuse_strangers(engine, listening)
        if is_open:
            os.environ["SCALEWATCH_OPEN"] = "true"  # for the processes that serve
            get_settings.cache_clear()
        click.echo(f"Scalewatch is at {_url(listening)}  (Ctrl-C stops it)")
        _divide_shares(settings, workers)
        with _counting(workers), _working(settings):
            _serve(listening, workers, settings.log_format)


def _listen(host: str, port: int) -> socket.socket:
    """Return the listening socket; it is bound before anything else is begun."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        reason = f"cannot listen at {host} port {port}: {_reason(error)}"
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            reason += f"; choose another, such as --port {port + 1}"
        raise CannotListen(reason) from None
    listening.set_inheritable(True)
    return listening


def _make_first_token(engine: Engine) -> None:
    """Print a token that may do everything, unless there is any."""
    with sessions_of(engine).writing.begin() as session:
        if is_any(session):
            return
        _, secret = create(session, "first", Role.ADMIN, None)
    click.echo(
        "There was no token yet. This one may do everything, and is not shown again: "
        f"{secret}"
    )


def _refuse_strangers(engine: Engine, listening: socket.socket) -> None:
    """Refuse an address that others reach as long as there is no token."""
    host = listening.getsockname()[0]
    if is_loopback(host):
        return
    with sessions_of(engine).reading() as session:
        if not is_any(session):
            raise Unprotected(
                f"everybody who reaches {host} could change everything: make a token "
                "first, `scalewatch token create NAME --all-projects --role admin`, "
                "let --first-token make it, or say --open"
            )


def _reason(error: Exception) -> str:
    """Return the words of the operating system; asyncio's add the address again."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number and number > 0 else str(error)


def _url(listening: socket.socket) -> str:
    host, port, *_ = listening.getsockname()
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared with, not bound to
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _divide_shares(settings: Settings, workers: int) -> None:
    """Let all processes together allow a client what is set, as each counts alone."""
    share = -(-settings.requests_per_minute // workers)
    os.environ["SCALEWATCH_REQUESTS_PER_MINUTE"] = str(share)
    get_settings.cache_clear()


@contextmanager
def _counting(workers: int) -> Iterator[None]:
    """Let several processes put their counters together, in a folder of their own."""
    if workers == 1 or FOLDER in os.environ:
        yield
        return
    with metrics_folder() as folder:
        os.environ[FOLDER] = str(folder)
        yield


@contextmanager
def _working(settings: Settings) -> Iterator[None]:
    """Have jobs done where no distant workers do them."""
    if settings.broker_url or not settings.embedded_worker:
        yield
        return
    os.environ["SCALEWATCH_EMBEDDED_WORKER"] = "false"  # not by those that serve
    get_settings.cache_clear()
    with companion(settings.database_url):
        yield


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
            _processes(config, listening).run()
    except KeyboardInterrupt:
        return  # how one stops a server; it has shut down in order before
    if workers == 1 and not server.started:
        raise click.ClickException("the server could not start; see above")


def _processes(config: Config, listening: socket.socket) -> Multiprocess:
    """Return the processes that serve; what ends a command ends them.

    uvicorn would serve on at SIGHUP, with new processes, and at SIGQUIT.
    """
    kept = {n: signal.getsignal(n) for n in (signal.SIGHUP, signal.SIGQUIT)}
    processes = Multiprocess(config, sockets=[listening])
    for number, handler in kept.items():
        signal.signal(number, handler)
    return processes
