"""The scripts of pages as one: browsers load no modules of `file://` pages.

`import {…} from "./name.js"` and `export function|class` are the only forms that the
modules of the frontend have.
"""

import re
from typing import Final

from scalewatch.resources import bundled

NEED_A_SERVER: Final = frozenset({"cockpit", "docs", "forecast", "live", "preview"})
"""Modules that ask the server for more."""

_IMPORT: Final = re.compile(
    r'^import (\{[^}]*\}) from "\./([\w-]+)\.js";$', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export ((?:async )?(?:function|class) (\w+))", re.MULTILINE
)


def site_script() -> str:
    """Return all scripts of frozen pages, each in a scope of its own."""
    folder = bundled("frontend") / "static" / "js"
    modules = {
        file.stem: file.read_text("utf-8")
        for file in sorted(folder.glob("*.js"))
        if file.stem not in NEED_A_SERVER
    }
    bodies = [_body(name, modules[name]) for name in _in_order(modules)]
    return "\n".join(['"use strict";', "const modules = {};", *bodies])


def _in_order(modules: dict[str, str]) -> list[str]:
    """Return the names of modules, each after those that it imports."""
    order: dict[str, None] = {}

    def visit(name: str) -> None:
        for _, needed in _IMPORT.findall(modules[name]):
            visit(needed)
        order.setdefault(name)

    for name in modules:
        visit(name)
    return [*order]


def _body(name: str, module: str) -> str:
    exported = ", ".join(each for _, each in _EXPORT.findall(module))
    text = _IMPORT.sub(r'const \1 = modules["\2"];', _EXPORT.sub(r"\1", module))
    return f'modules["{name}"] = (() => {{\n{text}\nreturn {{ {exported} }};\n}})();'
