"""Dashboard that tracks whether HPC codes still scale the way they should.

Read it from the inside out: `modelling` says what measurements mean, `storage`
what is remembered, `services` what the product does; `api`, `pages` and `jobs`
are three thin ways to ask for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalewatch.client import Client

__all__ = ["Client"]


def __getattr__(name: str) -> Any:
    """Import the client once it is asked for: commands do without it."""
    if name != "Client":
        raise AttributeError(name)
    return import_module("scalewatch.client").Client
