"""Write plotly.js without the kinds of traces that no figure has.

`bootstrap.py` and the Dockerfile run this after they have installed the server, whose
plotly it reads and beside whose templates it writes, see `scalewatch.plotly_bundle`.
The server itself needs neither this nor tree-sitter.

plotly.js is a list of modules, declared to run when they are first called for, and one
of them registers the kinds. Registering fewer, it reaches less, and what it no longer
reaches is left out. A part reaches all parts whose names occur in its text. A name may
also occur as that of something else, so that more may stay than is needed, and never
less.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from scalewatch.plotly_bundle import KINDS, bundle_path, whole_plotly

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


def main() -> None:
    """Trim the installed plotly.js, and replace what was trimmed before."""
    kinds = frozenset(kind.encode() for kind in KINDS)
    try:
        script = without_other_kinds(whole_plotly(), kinds)
    except ValueError as error:
        sys.exit(f"plotly.js cannot be trimmed: {error}")
    path = bundle_path()
    path.parent.mkdir(exist_ok=True)
    for earlier in path.parent.iterdir():
        earlier.unlink()
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(script)
    unfinished.replace(path)


def without_other_kinds(source: bytes, kinds: frozenset[bytes]) -> bytes:
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


if __name__ == "__main__":
    main()
