"""The browser: where it is, and how it is started quietly."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

SHELL = "chromium-headless-shell"
"""The same engine without windows, which tests prefer: they take two thirds as long."""

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", SHELL)
"""What systems call it."""

WITHOUT = (
    # Pages behind the address line: each window would load their 400 modules.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
    # What Playwright leaves out; its list gives way to this one.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""Features of Chromium that take time and that no page needs."""

QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={','.join(WITHOUT)}",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",  # without which Chromium does not start as root
)

FETCH = ("install", "--only-shell", "chromium")
"""What Playwright is told to fetch its browser: without the one that has windows."""

HOW = f"`apt-get install {SHELL}` as root, or `.venv/bin/playwright {' '.join(FETCH)}`"


class NoBrowser(Exception):
    """There is no Chromium that starts."""

    def __init__(self) -> None:
        super().__init__(f"no Chromium starts here: {HOW}")


def chromium(playwright: Playwright, *first: str) -> str:
    """Return the path of the system's Chromium, else of the one Playwright fetched.

    Of the system's it is the one of these names, where there is one of them.

    Raises
    ------
    NoBrowser
        If none starts.
    """
    for path in _candidates(playwright, first):
        if _starts(path):
            return path
    raise NoBrowser


def is_there() -> bool:
    """Tell whether a browser is there that starts."""
    with sync_playwright() as playwright:
        return any(_starts(path) for path in _candidates(playwright))


def _candidates(playwright: Playwright, first: Sequence[str] = ()) -> Iterator[str]:
    yield from filter(None, map(shutil.which, (*first, *NAMES)))
    yield from map(str, filter(Path.exists, _fetched(playwright)))


def _fetched(playwright: Playwright) -> Iterator[Path]:
    """Yield where Playwright puts its shell and its whole browser.

    It tells the place of the latter, `chromium-1255/chrome-linux64/chrome`; beside that
    folder is `chromium_headless_shell-1255/chrome-headless-shell-linux64/…`.
    """
    whole = Path(playwright.chromium.executable_path)
    for folder in whole.parents:
        name, _, revision = folder.name.partition("-")
        if name == "chromium":
            shells = folder.with_name(f"chromium_headless_shell-{revision}")
            yield from shells.glob("*/chrome-headless-shell")
    yield whole


def _starts(path: str) -> bool:
    """Tell whether it says its version: some systems install a stub of that name."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
