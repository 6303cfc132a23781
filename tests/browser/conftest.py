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
from support.chromium import QUIET, SHELL, NoBrowser, chromium

expect.set_options(timeout=20_000)  # a loaded machine is slow, and that is no failure

NAMES = "--host-resolver-rules=MAP *.example 127.0.0.1"
"""Names that are not those of this machine lead to it."""

ONE_PROCESS = "--disable-site-isolation-trials"
"""Each test has a site of its own: a new process for each takes a tenth of the time."""

ONE_RENDERER = "--renderer-process-limit=1"
"""The pages of a context are drawn by one process, which then knows their scripts."""


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
        args = [*QUIET, NAMES, ONE_PROCESS, ONE_RENDERER]
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


@pytest.fixture
def site(site_app: FastAPI) -> Iterator[str]:
    """The address of the application, served on a free port by a thread."""
    with served(site_app) as address:
        yield address


@pytest.fixture(scope="session")
def large_site(large_engine: Engine) -> Iterator[str]:
    """The address of the application on the project of real size, for reading."""
    with served(create_app(large_engine, embedded_worker=False)) as address:
        yield address


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port, by a thread."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
    host, port = server.servers[0].sockets[0].getsockname()
    yield f"http://{host}:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def page(browser: Browser, site: str, complaints: Complaints) -> Iterator[Page]:
    """A page that fails its test if it broke the policy or a script failed."""
    context = browser.new_context(base_url=site, color_scheme="light")
    page = context.new_page()
    complaints.listen(page)
    yield page
    context.close()
    assert complaints.texts == []


@pytest.fixture(scope="session")
def large_context(browser: Browser, large_site: str) -> Iterator[BrowserContext]:
    """Where pages on the project of real size are opened, which no test changes.

    An empty page stays open, and with it the process that has compiled the scripts of
    plots: that is half of the work of a page.
    """
    context = browser.new_context(base_url=large_site, color_scheme="light")
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def large_page(large_context: BrowserContext, complaints: Complaints) -> Iterator[Page]:
    """A page on the project of real size, likewise watched."""
    page = large_context.new_page()
    complaints.listen(page)
    yield page
    page.close()
    large_context.clear_cookies()  # all that pages keep
    assert complaints.texts == []
