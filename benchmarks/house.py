"""The structure of the code, counted from its text: sizes, rooms, walks along calls.

A *walk* follows calls from an entry point, depth first in order of the source, through
imported names, names of the same module, and methods of classes that an annotation, a
field, a constructor or a returned value names. A function that is only passed on counts
as called; what cannot be resolved is passed over. Walks end at storage and enter no
mathematics. A *place* is a function above storage, *modules* are the files of all
places, *storage* the modules of storage that they call; a *climb* is a call from a room
of services into one that the walk had entered before; *hops* are the fewest calls from
the entry to functions of storage, the nearest and the farthest. *Reading* are the
places from which calls lead to a function of storage that is handed a session, with
their modules and the climbs among them; the others compute with what was read. A
private function has *one caller* if its name stands once in its module beside its
definition. *Floors* are the longest chain of imports among rooms of services. *Caches*
of answers are instances of `Kept`. *Constants* are names of modules for numbers, or for
tuples of numbers, written out; those of ledgers are the fields of `Assumptions`, limits
those among them behind the comment that begins with "Limits".
"""

import ast
import tokenize
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Final

from benchmarks.options import asked
from benchmarks.results import Results

CHECKOUT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("backend/scalewatch", "bench_agent/scalewatch_agent")
WALKED: Final = frozenset({"api", "cli", "pages", "jobs", "web", "services", "storage"})
"""Layers that a walk enters."""

WALKS: Final = {
    "gate": "scalewatch.services.gates.gate:gate_of",
    "its decision": "scalewatch.services.gates.decision:decide",
    "gate of files": "scalewatch.cli.files.gating:gate_files",
    "match table": "scalewatch.pages.match_table.page:show_report",
    "detection": "scalewatch.jobs:watch",
    "posted run": "scalewatch.api.runs.routes:post_runs",
}
"""Entry points by what begins there."""

LIMITS: Final = "# Limits"
"""Comment behind which a ledger has what changes no answer."""

Place = tuple[str, str]
"""A function or class: its module and its qualified name."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A file of a package, by its dotted name."""

    name: str
    source: str

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Its syntax, flat."""
        return list(ast.walk(ast.parse(self.source)))

    @cached_property
    def places(self) -> Mapping[str, Function | ast.ClassDef]:
        """Functions and classes at its top, and methods, by qualified name."""
        named = {}
        for node in ast.parse(self.source).body:
            if isinstance(node, Function | ast.ClassDef):
                named[node.name] = node
            if isinstance(node, ast.ClassDef):
                methods = [each for each in node.body if isinstance(each, Function)]
                named |= {f"{node.name}.{each.name}": each for each in methods}
        return named

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Dotted names behind those that it imports or defines."""
        names = {name: f"{self.name}.{name}" for name in self.places}
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    names[each.asname or each.name] = f"{node.module}.{each.name}"
        return names

    @property
    def size(self) -> tuple[int, ...]:
        """Number of lines, lines of imports, functions, and those with one caller."""
        tokens = tokenize.generate_tokens(StringIO(self.source).readline)
        often = Counter(each.string for each in tokens if each.type == tokenize.NAME)
        names = [node.name for node in self.nodes if isinstance(node, Function)]
        imports = [
            (node.end_lineno or node.lineno) - node.lineno + 1
            for node in self.nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        private = [e for e in names if e.startswith("_") and not e.endswith("__")]
        lone = [name for name in private if often[name] == 2]
        return self.source.count("\n"), sum(imports), len(names), len(lone)

    @cached_property
    def constants(self) -> tuple[int, int, int]:
        """Number of constants: at its top, assumptions, and limits."""
        top, fields = [], []
        for node in ast.parse(self.source).body:
            top += [each for each in (node,) if _is_number(each)]
            if isinstance(node, ast.ClassDef) and node.name == "Assumptions":
                fields += [each for each in node.body if _is_number(each)]
        lines = self.source.splitlines()
        first = next((i for i, e in enumerate(lines) if LIMITS in e), len(lines))
        limits = sum(each.lineno > first for each in fields)
        return len(top), len(fields) - limits, limits


class Code:
    """The modules of packages by dotted name, and which function calls which."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.modules: dict[str, Module] = {}
        self.fields: dict[Place, Mapping[str, Place]] = {}
        for folder in folders:
            for path in sorted(folder.rglob("*.py")):
                parts = path.relative_to(folder.parent).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                self.modules[name] = Module(name, path.read_text("utf-8"))

    def resolved(self, dotted: str) -> Place | None:
        """Return where a function or class is defined, through all imports."""
        parts = dotted.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = self.modules.get(".".join(parts[:cut]))
            if module is None:
                continue
            if (name := ".".join(parts[cut:])) in module.places:
                return module.name, name
            origin = module.names.get(parts[cut])
            if origin is None or parts[cut] in module.places:
                return None
            return self.resolved(".".join([origin, *parts[cut + 1 :]]))
        return None

    def calls(self, place: Place) -> list[Place]:
        """Return the functions that a function names, in order of the source."""
        module, function = self.modules[place[0]], self._node(place)
        kinds = self._kinds(module, function)
        if "." in place[1]:
            kinds |= dict.fromkeys(("self", "cls"), (place[0], place[1].split(".")[0]))
        called: dict[Place, None] = {}
        for chain in _chains(function):
            kind, rest = self._followed(kinds, chain)
            origin = ".".join(kind) if kind and rest else module.names.get(chain[0], "")
            rest = rest if kind and rest else chain[1:]
            target = self.resolved(".".join([origin, *rest[: 2 if origin else 0]]))
            if target is not None and self._is_class(target):
                target = self.resolved(".".join([*target, "__post_init__"]))
            if target not in {None, place} and not _is_declared(self._node(target)):
                called[target] = None
        return list(called)

    def takes_session(self, place: Place) -> bool:
        """Tell whether a function is handed a session, and so can read."""
        node = self._node(place)
        arguments = node.args.args if isinstance(node, Function) else []
        return any(each.arg == "session" for each in arguments)

    def _node(self, place: Place) -> Function | ast.ClassDef:
        return self.modules[place[0]].places[place[1]]

    def _is_class(self, place: Place | None) -> bool:
        return place is not None and isinstance(self._node(place), ast.ClassDef)

    def _followed(
        self, kinds: Mapping[str, Place], chain: list[str]
    ) -> tuple[Place | None, list[str]]:
        """Follow a name through fields; return the last class and the names behind."""
        kind, rest = kinds.get(chain[0]), chain[1:]
        while kind and rest and (field := self._fields(kind).get(rest[0])):
            kind, rest = field, rest[1:]
        return kind, rest

    def _fields(self, kind: Place) -> Mapping[str, Place]:
        """Return the classes of the fields of a class, as annotations name them."""
        if kind not in self.fields:
            self.fields[kind] = {
                each.target.id: named
                for each in self._node(kind).body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
                if (named := self._class_named(self.modules[kind[0]], each.annotation))
            }
        return self.fields[kind]

    def _class_named(self, module: Module, annotation: ast.AST | None) -> Place | None:
        """Return the class that an annotation or a constructor names first."""
        chain = next(iter(_chains(annotation)), [""]) if annotation else [""]
        place = self.resolved(module.names.get(chain[0], ""))
        return place if self._is_class(place) else None

    def _kinds(self, module: Module, function: ast.AST) -> dict[str, Place]:
        """Return the classes of variables, as far as annotations tell them.

        Arguments have theirs; what is assigned is a constructor, a call of a function
        that says what it returns, or a field.
        """
        kinds: dict[str, Place] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                if named := self._class_named(module, node.annotation):
                    kinds[node.arg] = named
            elif isinstance(node, ast.Assign):
                targets = getattr(node.targets[0], "elts", [node.targets[0]])
                values = getattr(node.value, "elts", [node.value])
                if len(targets) == len(values):
                    for target, value in zip(targets, values, strict=True):
                        kind = self._kind_of(module, kinds, value)
                        if kind and isinstance(target, ast.Name):
                            kinds[target.id] = kind
        return kinds

    def _kind_of(
        self, module: Module, kinds: Mapping[str, Place], value: ast.AST
    ) -> Place | None:
        called = value.func if isinstance(value, ast.Call) else value
        if not isinstance(called, ast.Name | ast.Attribute):
            return None
        chain = next(iter(_chains(called)), [""])
        kind, rest = self._followed(kinds, chain)
        if not isinstance(value, ast.Call):
            return kind if not rest else None
        origin = ".".join(kind) if kind else module.names.get(chain[0], "")
        place = self.resolved(".".join([origin, *(rest if kind else chain[1:])]))
        node = self._node(place) if place else None
        if place and isinstance(node, Function):
            return self._class_named(self.modules[place[0]], node.returns)
        return place


class Walk:
    """The places that calls reach from an entry, and the calls among them."""

    def __init__(self, code: Code, entry: str) -> None:
        self.code = code
        self.calls: dict[Place, list[Place]] = {}
        module, _, name = entry.partition(":")
        waiting: list[Place] = [(module, name)]
        while waiting:
            place = waiting.pop()
            if place not in self.calls:
                reached = [] if _layer(place[0]) == "storage" else code.calls(place)
                self.calls[place] = [e for e in reached if _layer(e[0]) in WALKED]
                waiting += reversed(self.calls[place])
        self.storage = {m for m, _ in self.calls if _layer(m) == "storage"}
        self.places = [each for each in self.calls if each[0] not in self.storage]

    @cached_property
    def reading(self) -> list[Place]:
        """Places from which calls lead to a query, in the order of the walk."""
        callers: dict[Place, list[Place]] = defaultdict(list)
        for place, targets in self.calls.items():
            for target in targets:
                callers[target].append(place)
        waiting = [
            place
            for place in self.calls
            if place[0] in self.storage and self.code.takes_session(place)
        ]
        leading: set[Place] = set()
        while waiting:
            above = [each for each in callers[waiting.pop()] if each not in leading]
            leading.update(above)
            waiting += above
        return [place for place in self.places if place in leading]

    def climbs(self, places: Sequence[Place]) -> list[tuple[Place, Place]]:
        """Return calls among places into another room that was entered before."""
        entered = list(dict.fromkeys(room_of(module) for module, _ in places))
        among = set(places)
        return [
            (place, target)
            for place in places
            for target in self.calls[place]
            if target in among and room_of(place[0]) and room_of(target[0])
            if entered.index(room_of(target[0])) < entered.index(room_of(place[0]))
        ]

    @property
    def hops(self) -> list[int]:
        """The fewest calls from the entry to functions of storage, nearest first."""
        waiting = deque(self.places[:1])
        hops = dict.fromkeys(waiting, 0)
        while waiting:
            place = waiting.popleft()
            for target in self.calls[place]:
                if target not in hops:
                    hops[target] = hops[place] + 1
                    waiting.append(target)
        return [n for (module, _), n in hops.items() if module in self.storage]


def room_of(module: str) -> str:
    """Return the room of services that a module is in; empty for other modules."""
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and parts[1] == "services" else ""


def arrows_among(modules: Collection[Module]) -> set[tuple[str, str]]:
    """Return which room of services imports which other one."""
    pairs = {
        (room_of(module.name), room_of(f"{origin}."))
        for module in modules
        for origin in module.names.values()
    }
    return {(above, room) for above, room in pairs if above and room and above != room}


def floors(arrows: Collection[tuple[str, str]], room: str) -> int:
    """Return the length of the longest chain from a room; arrows have no circle."""
    below = [floors(arrows, other) for above, other in arrows if above == room]
    return 1 + max(below, default=0)


def main(results: Results) -> None:
    """Print the tables."""
    code = Code([(asked().root or CHECKOUT) / package for package in PACKAGES])
    modules = code.modules.values()
    results.heading("Sizes")
    row = results.table("of", "lines", "modules", "imports", "functions", "one caller")
    by_layer = defaultdict(list)
    for module in modules:
        by_layer[_layer(module.name)].append(module)
        by_layer[f"all of {module.name.partition('.')[0]}"].append(module)
    for layer, members in sorted(by_layer.items()):
        sizes = zip(*(module.size for module in members), strict=True)
        lines, imports, functions, lone = map(sum, sizes)
        shares = f"{imports / lines:.1%}", functions, f"{lone / max(functions, 1):.0%}"
        row(layer, f"{lines:,}", len(members), *shares)
    of_modelling = [each for each in modules if _layer(each.name) == "modelling"]
    counts = zip(*(each.constants for each in of_modelling), strict=True)
    free, assumptions, limits = map(sum, counts)
    results.say(
        f"Constants of modelling: {assumptions} assumptions and {limits} limits in "
        f"ledgers, {free} beside them."
    )
    results.heading("Walks")
    counted = ("places", "modules", "climbs")
    reading = [f"reading {each}" for each in counted]
    row = results.table("from", *counted, *reading, "storage", "nearest", "farthest")
    for name, entry in WALKS.items():
        if code.resolved(entry.replace(":", ".")) is not None:
            walk = Walk(code, entry)
            parts = [
                part
                for places in (walk.places, walk.reading)
                for part in (places, {m for m, _ in places}, walk.climbs(places))
            ]
            ends = [walk.hops[0], max(walk.hops)] if walk.hops else "––"
            row(name, *map(len, parts), len(walk.storage), *ends)
    arrows = arrows_among(modules)
    rooms = {room_of(module.name) for module in modules} - {""}
    highest = max(floors(arrows, room) for room in rooms)
    caches = sum(module.source.count("= Kept") for module in modules)
    results.say(
        f"Services: {len(rooms)} rooms on {highest} floors, {len(arrows)} arrows among "
        f"them. Caches of answers: {caches}."
    )


def _is_number(node: ast.AST) -> bool:
    """Tell whether a line gives a name to a number, or to a tuple of numbers."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    named = ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp, ast.expr_context
    parts = list(ast.walk(node.value))
    numbers = [each.value for each in parts if isinstance(each, ast.Constant)]
    return (
        bool(numbers)
        and all(isinstance(each, (*named, ast.operator, ast.unaryop)) for each in parts)
        and all(type(each) in {int, float} for each in numbers)
    )


def _is_declared(function: Function | ast.ClassDef) -> bool:
    """Tell whether a function is a docstring alone, as those of protocols are."""
    return len(function.body) == 1 and isinstance(function.body[0], ast.Expr)


def _chains(root: ast.AST) -> Iterator[list[str]]:
    """Yield names with their attributes, `a.b.c` as one, in order of the source."""
    chain: list[str] = []
    node = root
    while isinstance(node, ast.Attribute):
        chain.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        yield [node.id, *chain]
        return
    for child in ast.iter_child_nodes(node):
        yield from _chains(child)


def _layer(module: str) -> str:
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] or "–" if package == "scalewatch" else package
