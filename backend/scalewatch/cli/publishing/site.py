"""The walk: pages are asked for in this process, from link to link, and written."""

import asyncio
import json
import posixpath
import re
from collections import deque
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from hashlib import sha256
from html import escape, unescape
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote

from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI

from scalewatch.cli.publishing.addresses import Addresses, Fate, Link
from scalewatch.cli.publishing.folder import SiteFolder
from scalewatch.cli.publishing.rewriting import INDEX, SCRIPT, FrozenPage
from scalewatch.errors import ScalewatchError
from scalewatch.resources import bundled

HOST: Final = "site.invalid"
"""The server's name in absolute addresses, which become those of the site."""

FOUND: Final = "/search?format=json"
PICTURES: Final = "assets/pictures"

_ABSOLUTE: Final = re.compile(rf"http://{re.escape(HOST)}(/[^\s\"<>]*)")

_SHOWN: Final = frozenset({HTTPStatus.OK, HTTPStatus.NOT_FOUND})
"""A page that says that something was not measured is a page of the site."""

_REDIRECT: Final = (
    '<!doctype html>\n<meta charset="utf-8">\n<title>Scalewatch</title>\n'
    '<meta http-equiv="refresh" content="0; url={way}">\n<a href="{way}">{way}</a>\n'
)


class PageFailed(ScalewatchError):
    """The application could not make a page."""

    def __init__(self, address: str, status: int) -> None:
        self.address = address
        self.status = status
        super().__init__(f"the page {address} could not be made: HTTP {status}")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the application."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        """The media type, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0]


@dataclass(slots=True)
class Site:
    """A site that is written from the pages of an application.

    Parameters
    ----------
    base
        The address that the site will have, without a slash at its end; may be empty.
    """

    app: FastAPI
    addresses: Addresses
    folder: SiteFolder
    base: str = ""
    _portal: BlockingPortal = field(init=False)
    _waiting: deque[tuple[str, str]] = field(default_factory=deque)
    _known: set[str] = field(default_factory=set)
    _pictures: dict[str, str] = field(default_factory=dict)

    def write(self) -> None:
        """Write all pages that links lead to from the first one, and their files.

        Raises
        ------
        PageFailed
            If the application fails.
        NoFolderForSite
            If a file cannot be written.
        """
        with start_blocking_portal() as self._portal:
            self._follow("/")
            while self._waiting:
                address, file = self._waiting.popleft()
                self.folder.write(file, self._frozen(address, file))
            self.folder.write(INDEX, self._index().encode())
            self.folder.write(SCRIPT, site_script().encode())
            self.folder.write(".nojekyll", b"")
            self.folder.end()

    def link(self, here: str, address: str) -> Link:
        """Return what becomes of a link, and see to it that its page is written."""
        if not address.startswith("/"):
            return Link(Fate.FROZEN, address)  # within the page, or elsewhere
        path, mark, fragment = address.partition("#")
        place = self.addresses.place(path)
        if place.fate is not Fate.FROZEN:
            return Link(place.fate)
        self._follow(path)
        return Link(place.fate, f"{self.way(here, place.file)}{mark}{fragment}")

    @staticmethod
    def way(here: str, file: str) -> str:
        """Return the relative way from a file to another one."""
        return posixpath.relpath(file, posixpath.dirname(here) or ".")

    def reports(self, here: str, address: str) -> Mapping[str, str]:
        """Return the ways to the pages of commits by hash; `SHA` stands for that."""
        project = self.addresses.project_of(address)
        links = {
            sha: self.link(here, address.replace("SHA", sha)).way
            for sha in (project.labels if project else ())
        }
        return {sha: way for sha, way in links.items() if way}

    def picture(self, here: str, address: str) -> str:
        """Write a picture, and return the way to it; pages share those that are equal.

        Raises
        ------
        PageFailed
            If the application fails.
        """
        drawn = self._pictures.get(address)
        if drawn is None:
            content = self.answer(address).encode()
            drawn = f"{PICTURES}/{sha256(content).hexdigest()[:16]}.svg"
            self._pictures[address] = drawn
            self.folder.write(drawn, content)
        return self.way(here, drawn)

    def answer(self, address: str) -> str:
        """Return the text that the application answers.

        Raises
        ------
        PageFailed
            If it fails.
        """
        answer = self._ask(address)
        if answer.status != HTTPStatus.OK:
            raise PageFailed(address, answer.status)
        return answer.body.decode()

    def _index(self) -> str:
        """Return a script that states all that the search finds."""
        hits = json.loads(self.answer(FOUND))
        ways = [self.link("index.html", hit["path"]).way for hit in hits]
        known = [
            {**hit, "path": way} for hit, way in zip(hits, ways, strict=True) if way
        ]
        return f"window.searchIndex = {json.dumps(known, separators=(',', ':'))};\n"

    def _follow(self, address: str) -> None:
        place = self.addresses.place(address)
        if place.file not in self._known:
            self._known.add(place.file)
            self._waiting.append((place.address, place.file))

    def _frozen(self, address: str, file: str) -> bytes:
        """Return the content of the file of an address."""
        answer = self._ask(address)
        if "location" in answer.headers:
            target = answer.headers["location"].removeprefix(f"http://{HOST}")
            way = escape(self.link(file, target).way)
            return _REDIRECT.format(way=way).encode()
        if answer.kind == "text/html" and answer.status in _SHOWN:
            page = FrozenPage(self, file, address)
            return page.rewritten(answer.body.decode()).encode()
        if answer.status != HTTPStatus.OK:
            raise PageFailed(address, answer.status)
        if answer.kind == "application/atom+xml":
            return self._based(answer.body.decode()).encode()
        return answer.body

    def _based(self, text: str) -> str:
        """Return a feed whose addresses are those of the site."""

        def address(match: re.Match[str]) -> str:
            way = self.link("index.html", unescape(match[1])).way
            return escape(f"{self.base}/{way}")

        return _ABSOLUTE.sub(address, text)

    def _ask(self, address: str) -> Answer:
        """Let the application answer, as a server of its own would."""
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(b"host", HOST.encode()), (b"accept-encoding", b"identity")],
            "client": ("127.0.0.1", 0),
            "server": (HOST, 80),
        }
        started: dict[str, Any] = {}
        body = bytearray()

        async def receive() -> dict[str, Any]:
            if not started.get("received"):
                started["received"] = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await asyncio.Event().wait()  # until the answer has been sent
            raise AssertionError

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            else:
                body.extend(message.get("body", b""))

        self._portal.call(self.app, scope, receive, send)
        pairs = started.get("headers", ())
        headers = {name.decode().lower(): value.decode() for name, value in pairs}
        return Answer(started["status"], headers, bytes(body))


NEED_A_SERVER: Final = frozenset({"cockpit", "docs", "forecast", "live", "preview"})
"""Modules that ask the server for more."""

_IMPORT: Final = re.compile(
    r'^import (\{[^}]*\}) from "\./([\w-]+)\.js";$', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export ((?:async )?(?:function|class) (\w+))", re.MULTILINE
)


def site_script() -> str:
    """Return all scripts of frozen pages as one, each in a scope of its own.

    Browsers load no modules of `file://` pages. `import {…} from "./name.js"` and
    `export function|class` are the only forms that those of the frontend have.
    """
    folder = bundled("frontend") / "static" / "js"
    modules = {
        file.stem: file.read_text("utf-8")
        for file in sorted(folder.glob("*.js"))
        if file.stem not in NEED_A_SERVER
    }
    needed = {
        name: [other for _, other in _IMPORT.findall(text)]
        for name, text in modules.items()
    }
    scopes = ['"use strict";', "const modules = {};"]
    for name in TopologicalSorter(needed).static_order():
        exported = ", ".join(each for _, each in _EXPORT.findall(modules[name]))
        body = _EXPORT.sub(r"\1", modules[name])
        body = _IMPORT.sub(r'const \1 = modules["\2"];', body)
        returned = f"return {{ {exported} }};"
        scopes.append(f'modules["{name}"] = (() => {{\n{body}\n{returned}\n}})();')
    return "\n".join(scopes)
