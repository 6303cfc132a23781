"""plotly.js, without the kinds of traces that no figure here has.

The plotly package brings one script with every kind, maps and three dimensions among
them, most of which a browser would read for nothing. The script is a list of modules,
declared to run when they are first called for, and one of them registers the kinds.
Registering fewer, it reaches less, and what it no longer reaches is left out.

A part reaches all parts whose names occur in its text. A name may also occur as that
of something else, so that more may stay than is needed, and never less.

`python -m scalewatch.plotly_bundle` writes the script: reading all of it takes two
seconds and 270 MB, which a process of its own gives back.
"""

import logging
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import tree_sitter_javascript
from platformdirs import user_cache_path
from tree_sitter import Language, Node, Parser

KINDS: Final = frozenset({b"bar", b"contour", b"heatmap"})
"""The kinds of traces that stay, beside scatter, which is always there."""

ALWAYS: Final = b""
"""The name of what runs whatever is called for."""

WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*")
REGISTRATION: Final = re.compile(rb"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")
DECLARATIONS: Final = frozenset(
    {"function_declaration", "lexical_declaration", "variable_declaration"}
)
FILLING: Final = re.compile(rb"[\w$]+\(([\w$]+),\{")
"""The start of a statement that does nothing but give members to an object."""

FORWARDING: Final = re.compile(rb"\.exports=([\w$]+)\(\)\}\)$")
"""The end of a module that is nothing but another one."""

KIND: Final = re.compile(rb'moduleType:"trace",name:"(\w+)"')

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the script, by the name that it declares or fills, if any."""

    name: bytes
    start: int
    end: int
    text: bytes
    left: bytes
    """What stays where the piece is left out."""

    @classmethod
    def of(cls, node: Node, name: bytes, left: bytes = b"") -> "Part":
        """Return the part that a node of the syntax is."""
        return cls(name, node.start_byte, node.end_byte, node.text or b"", left)


@cache
def bundle_version() -> str:
    """Return what a script is known by: what it is made of, and how."""
    recipe = sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    return f"plotly-{version('plotly')}-{recipe}"


@cache
def plotly_bundle() -> bytes:
    """Return the script, made once for each version and kept in the user's cache.

    It is the package's own where no other can be made; the log says why.
    """
    kept = user_cache_path("scalewatch") / f"{bundle_version()}.js"
    try:
        return kept.read_bytes()
    except OSError:
        script = _made()
    try:
        _keep(script, kept)
    except OSError as error:
        _LOG.info("plotly.js will be made again, it cannot be kept: %s", error)
    return script


def without_other_kinds(source: bytes, kinds: frozenset[bytes] = KINDS) -> bytes:
    """Return the script that registers and holds only some kinds of traces.

    Raises
    ------
    ValueError
        If the script is not laid out as described above.
    """
    parts: dict[bytes, list[Part]] = defaultdict(list)
    for part in _parts(_body(source)):
        parts[part.name].append(part)
    texts = {name: b"\n".join(each.text for each in own) for name, own in parts.items()}
    registrar, fewer = _registration(texts, kinds)
    texts[registrar] = fewer
    reached = _reached([ALWAYS, registrar], texts)
    [registration] = parts[registrar]
    edits = [(registration.start, registration.end, fewer)]
    edits += [
        (part.start, part.end, part.left)
        for name in parts.keys() - reached
        for part in parts[name]
    ]
    return b"".join(_edited(source, sorted(edits)))


def _body(source: bytes) -> Node:
    """Return the body of the function whose value is Plotly."""
    script = Parser(Language(tree_sitter_javascript.language())).parse(source).root_node
    plotly = _first(
        script, lambda n: n.type == "variable_declarator" and _name(n) == b"Plotly"
    )
    function = plotly and _first(plotly, lambda n: n.type == "arrow_function")
    body = function and function.child_by_field_name("body")
    if body is None or script.has_error:
        raise ValueError("it does not declare Plotly as the value of a function")
    return body


def _first(node: Node, is_sought: Callable[[Node], bool]) -> Node | None:
    """Return the first node below another one that is sought, in order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if is_sought(node):
            return node
        waiting += reversed(node.children)
    return None


def _parts(body: Node) -> Iterator[Part]:
    """Yield what the statements of a function declare, fill or do."""
    declared = set()
    for statement in body.named_children:
        if statement.type == "function_declaration":
            yield Part.of(statement, _name(statement))
        elif statement.type in DECLARATIONS:
            for variable in statement.named_children:
                declared.add(_name(variable))
                yield Part.of(variable, _name(variable), left=_name(variable))
    for statement in body.named_children:
        if statement.type not in DECLARATIONS:
            filled = FILLING.match(statement.text or b"")
            name = filled[1] if filled and filled[1] in declared else ALWAYS
            yield Part.of(statement, name)


def _name(node: Node) -> bytes:
    name = node.child_by_field_name("name")
    return (name and name.text) or ALWAYS


def _registration(
    texts: Mapping[bytes, bytes], kinds: frozenset[bytes]
) -> tuple[bytes, bytes]:
    """Return who registers the kinds of traces, and its text with only some of them."""
    for name, text in texts.items():
        if name and (found := REGISTRATION.search(text)):
            calls = {call: _kind(call[:-2], texts) for call in found[1].split(b",")}
            if kinds <= set(calls.values()):
                fewer = b",".join(call for call in calls if calls[call] in kinds)
                return name, text.replace(found[1], fewer)
    wanted = ", ".join(sorted(kind.decode() for kind in kinds))
    raise ValueError(f"it has no module that registers {wanted}")


def _kind(name: bytes, texts: Mapping[bytes, bytes]) -> bytes | None:
    """Return the kind of traces that a module is, itself or by forwarding to it."""
    while forwarded := FORWARDING.search(texts[name]):
        name = forwarded[1]
    found = KIND.search(texts[name])
    return found and found[1]


def _reached(roots: Iterable[bytes], texts: Mapping[bytes, bytes]) -> set[bytes]:
    """Return the names that texts mention, those of the roots first, and so on."""
    reached: set[bytes] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += set(WORD.findall(texts[name])) & texts.keys()
    return reached


def _edited(source: bytes, edits: Iterable[tuple[int, int, bytes]]) -> Iterator[bytes]:
    """Yield the pieces of a text in which some have been replaced."""
    done = 0
    for start, end, replacement in edits:
        yield source[done:start]
        yield replacement
        done = end
    yield source[done:]


def _made() -> bytes:
    """Return the script that a process of its own makes, or else the whole one."""
    command = [sys.executable, "-m", __spec__.name]
    made = subprocess.run(command, capture_output=True, check=False)
    if made.returncode == 0:
        return made.stdout
    reason = made.stderr.decode(errors="replace").strip()
    _LOG.warning("plotly.js is served whole: %s", reason)
    return _packaged()


def _keep(script: bytes, path: Path) -> None:
    """Write a file that others see whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(script)
    Path(file.name).replace(path)


def _packaged() -> bytes:
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(without_other_kinds(_packaged()))
    except ValueError as error:
        sys.exit(f"plotly.js {version('plotly')} is laid out differently: {error}")
