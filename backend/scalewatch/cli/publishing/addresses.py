"""Frozen addresses: which pages a site without a server has, and in which files.

`FROZEN` says of each route which of its addresses are frozen. It answers from an
address alone, so that a page is written in one pass: each of its links leads to a file,
or is known to lead nowhere. Routes are named, so their paths may change.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from starlette.routing import Route

from scalewatch.pages import routes as page_routes
from scalewatch.services.stores.kept import NEWEST, KeptCommits


@dataclass(frozen=True, slots=True)
class Rule:
    """Addresses of a route that are frozen.

    Parameters
    ----------
    keys
        Parts of the query that choose another page.
    of_newest
        Further ones where the page is of the newest commit.
    of_few
        Further ones where the project has few series: their pages are many.
    has_older
        Whether pages of other commits that are kept are frozen as well.
    newest
        Segment of the path that says which commit is meant, where none is named.
    has_exports
        Whether the data of the page are offered, as it is without a query.
    needs_base
        Whether it means something only where the address of the site is known.
    """

    keys: frozenset[str] = frozenset()
    of_newest: frozenset[str] = frozenset()
    of_few: frozenset[str] = frozenset()
    has_older: bool = False
    newest: str = ""
    has_exports: bool = True
    needs_base: bool = False


FEW: Final = 100
"""Series of a project of which each page of each region is frozen."""

MACHINE: Final = frozenset({"machine"})
REGION: Final = frozenset({"region"})
SETTINGS: Final = frozenset({"configuration"})

FROZEN: Final[Mapping[str, Rule]] = {
    "asset": Rule(),
    "badge": Rule(),
    "cause": Rule(MACHINE),
    "commit": Rule(has_older=True, newest=f"/{NEWEST}", has_exports=False),
    "commit-report": Rule(has_older=True),
    "configurations": Rule(MACHINE, of_few=REGION),
    "cost": Rule(MACHINE),
    "feed": Rule(needs_base=True),
    "glossary": Rule(has_exports=False),
    "guidelines": Rule(MACHINE),
    "history": Rule(MACHINE | REGION | {"metric"}),
    "home": Rule(),
    "hotspots": Rule(MACHINE),
    "machine": Rule(),
    "machine-lines": Rule(MACHINE),
    "region": Rule(MACHINE | {"metric"}, of_few=SETTINGS, has_exports=False),
    "regression": Rule(),
    "regressions": Rule(frozenset({"state"})),
    "regressions-feed": Rule(needs_base=True),
    "report": Rule(of_newest=frozenset({"metric", "view"}), has_older=True),
    "scaling": Rule(of_few=REGION | MACHINE),
    "scaling-errors": Rule(of_few=REGION),
    "search": Rule(has_exports=False),
    "serial-fraction": Rule(of_few=REGION),
}
"""Frozen pages, by the name of their route."""

STORED: Final = frozenset({"comparison", "run"})
"""Routes of pages that a server on the store would show, and a site does not have."""

SUFFIXES: Final = {"csv": ".csv", "json": ".json", "md": ".md", "tex": ".tex"}
"""Endings of a page's data, by format."""


class Fate(Enum):
    """Outcome of a link in a site without a server."""

    FROZEN = auto()
    STORED = auto()
    ABSENT = auto()


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an address in a site.

    Parameters
    ----------
    address
        The one address of the page.
    file
        Path of its file below the folder of the site; empty where it has none.
    """

    fate: Fate
    address: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """The fate of a link, and the way from its page to a file, if there is one."""

    fate: Fate
    way: str = ""


_ABSENT: Final = Place(Fate.ABSENT)
_ELSEWHERE: Final = Place(Fate.STORED)


@dataclass(slots=True)
class Addresses:
    """The frozen addresses of projects; a database is not asked.

    Parameters
    ----------
    has_base
        Whether the address of the site is known.
    """

    projects: Mapping[str, KeptCommits]
    has_base: bool = False
    _places: dict[str, Place] = field(default_factory=dict)

    @property
    def keys(self) -> Mapping[str, frozenset[str]]:
        """The parts of queries that choose another page, by route."""
        are_few = all(each.series <= FEW for each in self.projects.values())
        return {
            name: rule.keys | (rule.of_few if are_few else frozenset())
            for name, rule in FROZEN.items()
        }

    def place(self, address: str) -> Place:
        """Return the place of an address without its fragment."""
        known = self._places.get(address)
        if known is None:
            known = self._places[address] = self._place(address)
        return known

    def project_of(self, address: str) -> KeptCommits | None:
        """Return the project that an address is within, if there is one."""
        _, names = _route(urlsplit(address).path)
        return self.projects.get(names.get("project", ""))

    def _place(self, address: str) -> Place:
        parts = urlsplit(address)
        name, names = _route(parts.path)
        if name in STORED:
            return _ELSEWHERE
        rule = FROZEN.get(name)
        project = self.projects.get(names.get("project", ""))
        is_unknown = "project" in names and project is None
        if rule is None or is_unknown or (rule.needs_base and not self.has_base):
            return _ABSENT
        path = parts.path + rule.newest
        query = [(key, value) for key, value in parse_qsl(parts.query) if value]
        wanted = dict(query).get("format")
        if project is None:
            query = [(key, value) for key, value in query if key == "format"]
        else:
            commit = names.get("sha") or dict(query).get("commit") or NEWEST
            label = project.label(commit)
            is_newest = label == project.newest
            if label is None or not (is_newest or rule.has_older):
                return _ELSEWHERE
            if "sha" in names or rule.newest:
                path = f"{path.rpartition('/')[0]}/{quote(label, safe='')}"
            query = [
                (key, label if key == "commit" else value)
                for key, value in query
                if not (key == "commit" and (is_newest or "sha" in names))
                and value != project.usual.get(key)
            ]
            keys = rule.keys | (rule.of_newest if is_newest else {"commit"})
            if project.series <= FEW:
                keys |= rule.of_few
            stated = {key for key, _ in query}
            if not stated <= ({"format"} if wanted else keys):
                return _ABSENT
        if wanted and not (rule.has_exports and wanted in SUFFIXES):
            return _ABSENT
        search = f"?{urlencode(sorted(query))}" if query else ""
        return Place(Fate.FROZEN, path + search, file_of(path, query))


def _routes() -> Sequence[Route]:
    return [
        route
        for route in page_routes
        if isinstance(route, Route) and "GET" in (route.methods or ())
    ]


def _route(path: str) -> tuple[str, Mapping[str, str]]:
    """Return the name of the route that answers a path, and the names in it."""
    for route in _routes():
        if match := route.path_regex.match(path):
            return route.name, {k: unquote(v) for k, v in match.groupdict().items()}
    return "", {}


_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*\.html")
"""Names that Windows keeps for devices, and servers for pages."""

_UNSAFE: Final = re.compile(r"[^a-z0-9._]+")
_DIGEST: Final = re.compile(r".*-[0-9a-f]{8}")

_MOST: Final = 60
"""Letters of a name; file systems take 255, paths of Windows 260 in all."""


def file_of(path: str, query: Sequence[tuple[str, str]]) -> str:
    """Return the file of a page, in lower-case letters, digits, `.`, `_` and `-`."""
    segments = [unquote(part) for part in path.split("/") if part]
    if segments[:1] == ["static"]:
        return f"assets/{_file_name('-'.join(segments[2:]))}"
    folder = "".join(f"{_file_name(segment)}/" for segment in segments)
    chosen = sorted((key, value) for key, value in query if key != "format")
    suffix = SUFFIXES.get(dict(query).get("format", ""), ".html")
    if not chosen and segments and segments[-1].endswith((".svg", ".atom")):
        return folder.rstrip("/")
    name = ".".join(f"{key}-{value}" for key, value in chosen) or "index"
    return f"{folder}{_file_name(name)}{suffix}"


def _file_name(name: str) -> str:
    """Return a name that every file system and store of artifacts takes.

    A digest tells names apart that would be alike.
    """
    plain = _UNSAFE.sub("-", name.lower()).strip("-.")[:_MOST]
    is_safe = plain == name and not _RESERVED.fullmatch(name)
    if is_safe and not _DIGEST.fullmatch(name):
        return name
    return f"{plain.replace('.', '-') or 'x'}-{sha256(name.encode()).hexdigest()[:8]}"
