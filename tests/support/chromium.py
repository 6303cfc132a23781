"""The browser: where it is, and how it is started quietly."""

import shutil
from pathlib import Path

from playwright.sync_api import Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
"""What systems call it."""

QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",  # without which Chromium does not start as root
)

MISSING = (
    "browser tests need Chromium: install the package `chromium` of your system, "
    "or run `playwright install chromium`"
)


def chromium(playwright: Playwright) -> str:
    """Return the path of the system's Chromium, else of the one Playwright fetched."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    own = playwright.chromium.executable_path
    if Path(own).exists():
        return own
    raise FileNotFoundError(MISSING)
