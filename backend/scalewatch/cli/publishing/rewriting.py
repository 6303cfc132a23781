"""Pages as files: links lead to files, plots are brought along, the rest is left out.

The tokens of a page are passed on as they are, but for those that need a server: forms
that send something, scripts in modules, links to what a site does not have.
"""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import Final, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from scalewatch.cli.publishing.addresses import Fate, Link
from scalewatch.pages.rendering.plots import quoted

SCRIPT: Final = "assets/site.js"
INDEX: Final = "assets/search.js"
"""Files of the site: its script, and all that the search finds."""

PRELOADS: Final = frozenset({"preload", "modulepreload"})

OPTIONAL: Final = frozenset({"details", "form", "li", "nav"})
"""Elements that go with all that they offer; of a form, each control as well."""

ON_SERVERS: Final = "kept in the store: scalewatch serve --store … shows it"
"""Title of text that is a link where there is a server."""

DIGITS: Final = 7
"""Digits of numbers of figures that are not whole: pages show four."""

Attributes = dict[str, str]


class Site(Protocol):
    """The site that a page is part of."""

    def link(self, here: str, address: str) -> Link:
        """Return what becomes of a link from a file to an address."""

    def way(self, here: str, file: str) -> str:
        """Return the way from a file to another one."""

    def picture(self, here: str, address: str) -> str:
        """Return the way to the picture of a figure, and see to it that it is there."""

    def answer(self, address: str) -> str:
        """Return what the server answers: a figure, or a sheet of symbols."""

    def reports(self, here: str, address: str) -> Mapping[str, str]:
        """Return the ways to pages of commits by hash; `SHA` stands for that."""


@dataclass(slots=True)
class _Part:
    """An element that waits for its end, since it may be left out.

    Parameters
    ----------
    needs_offer
        Whether it goes if it offers nothing, and not only if something is lacking.
    offers, lacks
        Links and choices that lead somewhere, and those that are left out.
    """

    tag: str
    needs_offer: bool = False
    depth: int = 1
    offers: int = 0
    lacks: int = 0
    text: list[str] = field(default_factory=list)


class FrozenPage(HTMLParser):
    """A page, rewritten as a file of a site.

    Parameters
    ----------
    here
        File of the page.
    address
        Its address on the server.
    """

    def __init__(self, site: Site, here: str, address: str) -> None:
        super().__init__(convert_charrefs=False)
        self._site = site
        self._here = here
        self._path, _, query = address.partition("?")
        self._query = parse_qsl(query)
        self._parts = [_Part("")]
        self._skipped = ""
        self._depth = 0
        self._anchors: list[str] = []
        self._in_form = False
        self._choice = ""
        self._plotly = ""
        self._sheets: dict[str, str] = {}
        self._starts: Mapping[str, Callable[[Attributes], bool]] = {
            "a": self._anchor,
            "button": self._button,
            "form": self._form,
            "img": self._picture,
            "input": self._input,
            "link": self._link,
            "option": self._option,
            "script": self._script,
            "select": self._select,
        }

    def rewritten(self, page: str) -> str:
        """Return the text of the file."""
        self.feed(page)
        self.close()
        return "".join(self._parts[0].text)

    def handle_starttag(
        self, tag: str, attrs: Sequence[tuple[str, str | None]]
    ) -> None:
        """Pass on the start of an element, changed where its attributes need it."""
        if self._skipped:
            self._depth += tag == self._skipped
            return
        before = {name: value or "" for name, value in attrs}
        stated = dict(before)
        start = self._starts.get(tag)
        if start is not None and not start(stated):
            return
        if "data-figure" in stated:
            self._bring_figure(stated)
        stated.pop("data-plots", None)
        is_control = self._in_form and "control" in stated.get("class", "").split()
        if is_control or tag in OPTIONAL:
            self._parts.append(_Part(tag, is_control or tag == "form"))
        elif tag == self._parts[-1].tag:
            self._parts[-1].depth += 1
        if tag == "a" and "href" not in stated:
            tag = "span"
        if stated == before:
            self._write(self.get_starttag_text() or "")
        else:
            self._write(f"<{tag}{''.join(map(_attribute, stated.items()))}>")

    def handle_startendtag(
        self, tag: str, attrs: Sequence[tuple[str, str | None]]
    ) -> None:
        """Pass on an element without content; symbols are brought along."""
        stated = {name: value or "" for name, value in attrs}
        sheet, _, symbol = stated.get("href", "").partition("#")
        if tag != "use" or not sheet:
            self._write(self.get_starttag_text() or "")
            return
        if sheet not in self._sheets:
            drawn = self._site.answer(sheet)
            self._sheets[sheet] = drawn.replace("<svg", '<svg style="display:none"', 1)
        stated["href"] = f"#{symbol}"
        self._write(f"<use{''.join(map(_attribute, stated.items()))}/>")

    def handle_endtag(self, tag: str) -> None:
        """Pass on the end of an element, or leave the element out."""
        if self._skipped:
            self._depth -= tag == self._skipped
            if not self._depth:
                self._skipped = ""
            return
        if tag == "head":
            self._write(self._scripts())
        if tag == "body":
            self._write("".join(self._sheets.values()))
        self._write(f"</{self._anchors.pop() if tag == 'a' else tag}>")
        self._in_form = self._in_form and tag != "form"
        part = self._parts[-1]
        part.depth -= tag == part.tag
        if not part.depth:
            self._parts.pop()
            self._end(part)

    def handle_data(self, data: str) -> None:
        """Pass on text."""
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        """Pass on a character that is called by its name."""
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Pass on a character that is called by its number."""
        self._write(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """Pass on the kind of the document."""
        self._write(f"<!{decl}>")

    def _write(self, text: str) -> None:
        if not self._skipped:
            self._parts[-1].text.append(text)

    def _skip(self, tag: str) -> bool:
        self._skipped, self._depth = tag, 1
        return False

    def _end(self, part: _Part) -> None:
        """Put an element into the one that it is in, unless it offers nothing."""
        outer = self._parts[-1]
        outer.offers += part.offers
        if part.offers or not (part.needs_offer or part.lacks):
            outer.text += part.text
        else:
            outer.lacks += 1

    def _anchor(self, stated: Attributes) -> bool:
        if "data-palette" in stated:
            stated["data-index"] = self._site.way(self._here, INDEX)
        link = self._site.link(self._here, stated.get("href", ""))
        part = self._parts[-1]
        if link.fate is Fate.FROZEN:
            stated["href"] = link.way
            part.offers += 1
        elif self._is_control(stated):
            part.lacks += 1
            return self._skip("a")
        else:
            kept = {"class": stated["class"]} if "class" in stated else {}
            stated.clear()
            stated |= kept
            if link.fate is Fate.STORED:
                stated["title"] = ON_SERVERS
        self._anchors.append("a" if "href" in stated else "span")
        return True

    def _is_control(self, stated: Attributes) -> bool:
        """Tell whether a link is to be used, and not text that leads somewhere."""
        return (
            "button" in stated.get("class", "").split()
            or not {"data-key", "data-expand"}.isdisjoint(stated)
            or any(part.tag in {"nav", "form"} for part in self._parts)
        )

    def _link(self, stated: Attributes) -> bool:
        if not PRELOADS.isdisjoint(stated.get("rel", "").split()):
            return False
        link = self._site.link(self._here, stated["href"])
        stated["href"] = link.way
        return link.fate is Fate.FROZEN

    def _script(self, stated: Attributes) -> bool:
        if address := stated.get("data-plotly"):
            self._plotly = self._site.link(self._here, address).way
        return self._skip("script")

    def _scripts(self) -> str:
        plotly = _attribute(("data-plotly", self._plotly)) if self._plotly else ""
        source = escape(self._site.way(self._here, SCRIPT))
        return f'<script defer src="{source}"{plotly}></script>\n'

    def _form(self, stated: Attributes) -> bool:
        method = stated.get("method", "get")
        if method == "dialog":
            return True
        action = urlsplit(stated.pop("action", ""))
        if method == "post" or action.path != self._path:
            self._parts[-1].lacks += 1
            return self._skip("form")
        self._in_form = True
        return True

    def _button(self, _stated: Attributes) -> bool:
        return not self._in_form or self._skip("button")

    def _input(self, stated: Attributes) -> bool:
        """Keep what filters rows: no server is needed for it."""
        if "data-filter" in stated:
            del stated["name"]
            self._parts[-1].offers += 1
            return True
        return not self._in_form

    def _select(self, stated: Attributes) -> bool:
        self._choice = stated.pop("name", "") if self._in_form else ""
        return True

    def _option(self, stated: Attributes) -> bool:
        """Let a choice lead to the page that it chooses, if there is that."""
        if not self._choice or "selected" in stated:
            return True
        others = [(key, value) for key, value in self._query if key != self._choice]
        query = urlencode([*others, (self._choice, stated.get("value", ""))])
        link = self._site.link(self._here, f"{self._path}?{query}")
        if link.fate is not Fate.FROZEN:
            return self._skip("option")
        if link.way != self._site.way(self._here, self._here):
            stated["data-goto"] = link.way
            self._parts[-1].offers += 1
        return True

    def _picture(self, stated: Attributes) -> bool:
        """Give the picture of a figure a file: who draws plots does not load it."""
        stated["src"] = self._site.picture(self._here, stated["src"])
        return True

    def _bring_figure(self, stated: Attributes) -> None:
        """Let a figure stand in the page: nothing is fetched from a file."""
        opens = stated.pop("data-opens", "")
        reports = self._site.reports(self._here, opens) if opens else {}
        document = stated.get("data-drawn") or self._site.answer(stated["data-figure"])
        stated["data-drawn"] = quoted(_compact(document, reports))
        stated["data-figure"] = ""
        if reports:
            stated["data-opens"] = json.dumps(reports)


def _compact(document: str, opened: Container[str]) -> str:
    """Return a figure with no more digits and names of points than a page shows.

    Parameters
    ----------
    opened
        Points that lead to pages; any other is named by its place.
    """
    figure = json.loads(document, parse_float=_rounded)
    for trace in figure["data"]:
        if "ids" in trace:
            trace["ids"] = [
                name if name in opened else str(place)
                for place, name in enumerate(trace["ids"])
            ]
    return json.dumps(figure, ensure_ascii=False, separators=(",", ":"))


def _rounded(number: str) -> float:
    value = float(number)
    return int(value) if value.is_integer() else float(f"{value:.{DIGITS}g}")


def _attribute(attribute: tuple[str, str]) -> str:
    name, value = attribute
    if name == "data-drawn":  # has no single quotes, and many double ones
        return f" {name}='{value}'"
    return f' {name}="{escape(value)}"'
