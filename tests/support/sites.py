"""Sites that `scalewatch publish` wrote: their links, and what is in them."""

import posixpath
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from click.testing import CliRunner, Result

from scalewatch.cli import main

ADDRESSES = {
    "href", "src", "action", "data-goto", "data-plotly", "data-index", "data-figure",
    "data-plots", "data-embed", "data-live-events",
}  # fmt: skip


def publish(store: Path, out: Path, *options: object) -> Result:
    """Publish a store as the command does."""
    arguments = ["publish", "--store", store, "--out", out, *options]
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def contents(site: Path) -> dict[str, bytes]:
    """Return the files of a site by name."""
    return {
        file.relative_to(site).as_posix(): file.read_bytes()
        for file in sorted(site.rglob("*"))
        if file.is_file()
    }


@dataclass
class Links(HTMLParser):
    """The links of all pages of a site: what they are, and which are dead."""

    site: Path
    relative: int = 0
    absolute: list[str] = field(default_factory=list)
    dead: list[tuple[str, str]] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self._names = contents(self.site).keys()
        for page in sorted(self.site.rglob("*.html")):
            self._page = page.relative_to(self.site).as_posix()
            self.feed(page.read_text("utf-8"))
            self.reset()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of an element."""
        for name, value in attrs:
            # What is data stands in the page itself.
            if name in ADDRESSES and value and not value.startswith("data:"):
                self._note(value)

    handle_startendtag = handle_starttag

    def _note(self, address: str) -> None:
        path = unquote(address.partition("#")[0])
        if address.startswith(("http:", "https:", "mailto:")):
            self.outside.add(address)
        elif address.startswith("/"):
            self.absolute.append(address)
        elif path:
            self.relative += 1
            folder = posixpath.dirname(self._page)
            if posixpath.normpath(posixpath.join(folder, path)) not in self._names:
                self.dead.append((self._page, address))
