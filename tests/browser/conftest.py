import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from sqlalchemy import Engine

from scalewatch.app import create_app
from scalewatch.jobs.worker import Worker
from scalewatch.storage.database.session import sessions_of
from support.chromium import QUIET, SHELL, WITHOUT, NoBrowser, chromium

expect.set_options(timeout=20_000)  # a loaded machine is slow, and that is no failure

NAMES = "--host-resolver-rules=MAP *.example 127.0.0.1"
"""Names that are not those of this machine lead to it."""

ONE_PROCESS = "--disable-site-isolation-trials"
"""Sites share a process: a new one for each takes a tenth of the time."""

LOOPBACK = ("127.0.0.1", 0)
"""The address of this machine, at a free port."""

ONE_RENDERER = "--renderer-process-limit=1"
"""The pages of a context are drawn by one process, which then knows their scripts."""

AS_THEY_ARE = f"--disable-features={','.join((*WITHOUT, 'ScriptStreaming'))}"
"""Scripts that a process knows are not parsed again while they arrive: 60 ms a page."""

UNOPTIMISED = "--js-flags=--no-opt,--no-maglev"
"""No page lives so long that it is worth while to compile its functions again."""

FOR_SHORT_VISITS = (NAMES, ONE_PROCESS, ONE_RENDERER, AS_THEY_ARE, UNOPTIMISED)


@dataclass
class Complaints:
    """What a browser had to say about the pages it showed."""

    texts: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.texts.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.texts.append(message.text)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            path = chromium(playwright, SHELL)
        except NoBrowser as missing:
            pytest.skip(str(missing))
        args = [*QUIET, *FOR_SHORT_VISITS]
        browser = playwright.chromium.launch(executable_path=path, args=args)
        yield browser
        browser.close()


@pytest.fixture
def site_app(engine: Engine) -> Iterator[FastAPI]:
    """The application with a worker beside it, as `scalewatch serve` runs it."""
    worker = Worker(sessions_of(engine), poll_seconds=0.2)
    worker.start()
    yield create_app(engine, embedded_worker=False)
    worker.stop()


@pytest.fixture(scope="session")
def listening() -> Iterator[socket.socket]:
    """A free port that the servers of all tests have in turn.

    Scripts that the browser has compiled keep their address.
    """
    with socket.create_server(LOOPBACK) as listening:
        yield listening


@pytest.fixture
def site(site_app: FastAPI, listening: socket.socket) -> Iterator[str]:
    """The address of the application, served by a thread."""
    with served(site_app, listening) as address:
        yield address


@pytest.fixture(scope="session")
def large_site(large_engine: Engine) -> Iterator[str]:
    """The address of the application on the project of real size, for reading."""
    app = create_app(large_engine, embedded_worker=False)
    with socket.create_server(LOOPBACK) as port, served(app, port) as address:
        yield address


@contextmanager
def served(app: FastAPI, listening: socket.socket) -> Iterator[str]:
    """Serve an application on a port, by a thread; the port outlives it."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening.dup()]})
    thread.start()
    while not server.started:
        thread.join(0.01)
    yield address_of(listening)
    server.should_exit = True
    thread.join()


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()
    return f"http://{host}:{port}"


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture(scope="session")
def small_context(
    browser: Browser, listening: socket.socket
) -> Iterator[BrowserContext]:
    """Where pages of the application of each test are opened."""
    yield from _opened(browser, address_of(listening))


@pytest.fixture(scope="session")
def large_context(browser: Browser, large_site: str) -> Iterator[BrowserContext]:
    """Where pages on the project of real size are opened, which no test changes."""
    yield from _opened(browser, large_site)


def _opened(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """An empty page stays open, and with it the process that has compiled the scripts.

    That is half of the work of a page with plots.
    """
    context = browser.new_context(base_url=address, color_scheme="light")
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def page(
    small_context: BrowserContext,
    site: str,  # noqa: ARG001 - it is served meanwhile
    complaints: Complaints,
) -> Iterator[Page]:
    """A page that fails its test if it broke the policy or a script failed."""
    yield from _watched(small_context, complaints)


@pytest.fixture
def unwatched_page(
    small_context: BrowserContext,
    site: str,  # noqa: ARG001 - it is served meanwhile
) -> Iterator[Page]:
    """A page whose test says itself what is no fault of it, such as a refusal."""
    with _page_of(small_context) as page:
        yield page


@pytest.fixture
def large_page(large_context: BrowserContext, complaints: Complaints) -> Iterator[Page]:
    """A page on the project of real size, likewise watched."""
    yield from _watched(large_context, complaints)


def _watched(context: BrowserContext, complaints: Complaints) -> Iterator[Page]:
    with _page_of(context) as page:
        complaints.listen(page)
        yield page
    assert complaints.texts == []


@contextmanager
def _page_of(context: BrowserContext) -> Iterator[Page]:
    """Open a page, and forget in the end all that pages keep."""
    page = context.new_page()
    yield page
    page.close()
    context.clear_cookies()
    context.clear_permissions()
