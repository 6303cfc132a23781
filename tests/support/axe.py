"""What axe-core finds wrong with a page that is open in a browser."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page


def barriers(
    page: Page, rules: Sequence[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield rule and element of each violation, of `rules` or of all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    # To describe what is fine would take three times as long.
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    ran = page.evaluate("options => axe.run(document, options)", options)
    for each in ran["violations"]:
        yield each["id"], each["nodes"][0]["html"]


@cache
def _axe() -> str:
    (script,) = Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")
    return script.read_text("utf-8")
