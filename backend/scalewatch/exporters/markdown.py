"""Text in Markdown that stays text, whoever wrote it and wherever it is rendered.

References
----------
GitHub Flavored Markdown Spec 0.29; GitHub Docs, "Autolinked references and URLs";
GitLab Docs, "GitLab Flavored Markdown" and "Quick actions".
"""

import re
from typing import Final

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|~&$!{}]")
"""Characters that CommonMark, or either forge, reads as markup in a line."""

_BLOCK: Final = re.compile(r"^(?=(?:[-+]|#+|\d+[.)])(?:\s|\Z)|[-=][-=\s]*\Z|/\w)")
"""Before a list, heading, rule or quick action of GitLab at the start of a line."""

_REFERENCE: Final = re.compile(
    r"(?<=@)(?=\S)"  # people, and addresses of mail
    r"|(?<=[#%^])(?=\\?[\w\"])"  # issues, milestones
    r"|(?<=\\[!~&$])(?=\\?[\w\"])"  # merge requests, labels, epics, snippets
    r"|(?<=GH-)(?=\d)"
    r"|(?<=/)(?=/)"  # addresses
    r"|(?<=www)(?=\.)",
    re.IGNORECASE,
)
"""Places at which a reference is cut in two: escapes are gone when forges look for
them."""

_DIRECTED: Final = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks of direction, by which a line reads as another one."""

CUT: Final = "\N{ZERO WIDTH SPACE}"


def plain(value: object) -> str:
    """Return a value as one line in which nothing is markup, a link or a mention."""
    return _BLOCK.sub(CUT, _REFERENCE.sub(CUT, escaped(value)))


def escaped(value: object) -> str:
    """Return a value as one line in which nothing is markup.

    For documents of people: a forge would still find mentions and links in it.
    """
    text = "" if value is None else str(value)
    line = " ".join(_DIRECTED.sub("", text).split())
    return _MARKUP.sub(r"\\\g<0>", line)
