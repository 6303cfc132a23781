"""Markdown that leaves the product, as the forges render it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scalewatch.exporters.listing import Listing, markdown_text
from scalewatch.exporters.markdown import CUT, plain

pytest.importorskip("linkify_it", reason="as the forges find addresses")

HOSTILE = (
    "[free](https://evil.example/)",
    "![](https://evil.example/p.png)",
    "https://evil.example/?a=1",
    "www.evil.example",
    "ada@evil.example",
    "<https://evil.example>",
    "<img src=x onerror=alert(1)>",
    "<!-- scalewatch gate mpich -->",
    "@ada please merge",
    "@mpich/owners",
    "&#64;ada &#x3c;b&#x3e;",
    "fixes #1 GH-2 !3 ~bug %4 $5",
    "a | b || c \\| d \\",
    "`code` ``x` **b** __u__ ~~s~~ *i*",
    "a\n\n# heading\n/close",
    "/close",
    "//www.evil.example",
    "-",
    "--- -",
    "~_ #_a",
    "[a]: https://evil.example\n\n[a]",
    "[^1] $`x`$ $$y$$",
    "\u202eevil\u202c",
)

HTML_OF_CELL = re.compile(r"<td>(.*?)</td>", re.DOTALL)
SPEAKING = re.compile(r"(?<!\w)@[\w-]|://|www\.|\bGH-\d|[#!~%$&]\"?\w", re.IGNORECASE)
"""Looked for by both forges in rendered text: people, addresses, references."""

pieces = st.lists(
    st.sampled_from(
        [*HOSTILE, *"\\`*_[]<>|~&$!{}()#%^@/:-+.=\n\r\t ", "www.", "://", "x", "1", "é"]
    ),
    max_size=12,
).map("".join)


def rendered(text):
    markdown = MarkdownIt("gfm-like")
    markdown.linkify.set({"fuzzy_link": False})  # no forge takes `sweep.py` for one
    return markdown.render(text)


def cell(text):
    """Return the HTML of a cell that holds a text."""
    (html,) = HTML_OF_CELL.findall(
        rendered(markdown_text(Listing(("region", "reason"), [(text, "next")])))
    )[:1]
    return html


@pytest.mark.parametrize("text", HOSTILE)
def test_text_in_a_table_is_shown_as_it_is_and_does_nothing(text):
    shown = cell(text)

    assert "<" not in shown
    assert not SPEAKING.search(unescaped(shown))
    assert unescaped(shown).replace(CUT, "") == " ".join(
        re.sub("[\u202c\u202e]", "", text).split()
    )


@given(pieces)
def test_no_text_speaks_in_a_table_a_line_or_a_list(text):
    (table,) = re.findall(
        "<tbody>.*", rendered(f"|a|b|\n|-|-|\n|{plain(text)}|n|"), re.DOTALL
    )
    assert table.count("<td>") == 2
    for html in (cell(text), *map(paragraph, (f"said {plain(text)}", plain(text)))):
        assert "<" not in html
        assert not SPEAKING.search(unescaped(html))


def paragraph(text):
    html = rendered(text).strip()
    return html.removeprefix("<p>").removesuffix("</p>")


def unescaped(html):
    for entity, letter in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("amp", "&")):
        html = html.replace(f"&{entity};", letter)
    return html
