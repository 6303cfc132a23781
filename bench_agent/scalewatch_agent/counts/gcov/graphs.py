"""Counts of all arcs of a graph from the counters of some, and the loops in it.

What enters a block leaves it, and what leaves the function has entered it; the arcs
without a counter make a spanning tree, so that each follows from the others. A loop is
where the graph leads back to a block that comes before.

References
----------
T. Ball, J. Larus. Optimally profiling and tracing programs. ACM TOPLAS 16, 1994.
A. Aho, M. Lam, R. Sethi, J. Ullman. Compilers, second edition, 9.6: dominators, back
edges, natural loops.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from scalewatch_agent.counts.gcov.notes import ENTRY, EXIT, Graph, Unreadable
from scalewatch_agent.counts.regions import Place


class CountsLost(Unreadable):
    """Counters that contradict each other, as when threads count at once."""


def arc_counts(graph: Graph, counters: Sequence[int]) -> tuple[int, ...]:
    """Return how often each arc of `graph` was taken, in the order of its arcs.

    Raises
    ------
    Unreadable
        If the counters do not belong to the graph.
    CountsLost
        If a count would be negative.
    """
    counted = iter(counters)
    ends = [(arc.source, arc.target) for arc in graph.arcs] + [(EXIT, ENTRY)]
    counts: list[int | None] = [
        None if arc.is_derived else next(counted, None) for arc in graph.arcs
    ]
    if len(counters) != sum(not arc.is_derived for arc in graph.arcs):
        raise Unreadable(f"counters of {graph.name} are not its own: build again")
    counts.append(None)
    excess = [0] * graph.blocks
    unknown: list[set[int]] = [set() for _ in range(graph.blocks)]
    for index, (source, target) in enumerate(ends):
        if (count := counts[index]) is None:
            unknown[source].add(index)
            unknown[target].add(index)
        else:
            excess[source] -= count
            excess[target] += count
    leaves = [block for block in range(graph.blocks) if len(unknown[block]) == 1]
    while leaves:
        block = leaves.pop()
        if len(unknown[block]) != 1:
            continue
        index = unknown[block].pop()
        source, target = ends[index]
        count = excess[block] if source == block else -excess[block]
        counts[index] = count
        other = target if source == block else source
        unknown[other].discard(index)
        excess[source] -= count
        excess[target] += count
        if len(unknown[other]) == 1:
            leaves.append(other)
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        raise Unreadable(f"counters of {graph.name} do not tell all of its work")
    if min(known) < 0 or any(excess):
        raise CountsLost(
            f"counters of {graph.name} contradict each other, as when threads "
            "count at once: compile with -fprofile-update=atomic"
        )
    return tuple(known[:-1])


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: the block that begins each round, all its blocks, and where it stands."""

    header: int
    blocks: frozenset[int]
    place: Place


@cache
def loops_of(graph: Graph) -> tuple[Loop, ...]:
    """Return the loops in the order of the source, the outer one first."""
    followers: dict[int, list[int]] = {}
    leaders: dict[int, list[int]] = {}
    for arc in graph.arcs:
        if not arc.is_fake:
            followers.setdefault(arc.source, []).append(arc.target)
            leaders.setdefault(arc.target, []).append(arc.source)
    above = _dominators(followers, leaders)
    bodies: dict[int, set[int]] = {}
    for arc in graph.arcs:
        if arc.source in above and _dominates(arc.target, arc.source, above):
            body = bodies.setdefault(arc.target, {arc.target})
            # Add the blocks from which `latch` is reached without passing the header.
            left = [arc.source]
            while left:
                block = left.pop()
                if block not in body:
                    body.add(block)
                    left += leaders.get(block, [])
    loops = [
        Loop(header, frozenset(body), _place_of(graph, header, body))
        for header, body in bodies.items()
    ]

    def order(loop: Loop) -> tuple[bool, str, int, int, int]:
        file, line = loop.place.file, loop.place.line
        is_elsewhere = file != graph.place.file  # by a macro, or inlined
        return is_elsewhere, str(file), line, -len(loop.blocks), loop.header

    return tuple(sorted(loops, key=order))


def iterations(graph: Graph, counts: Sequence[int], loop: Loop) -> int:
    """Return how often the body of a loop was begun.

    A loop that tests before it works enters its header once more for each time that
    it is left there. These tests stand on the line of the header; a way out elsewhere
    breaks a round that has begun.
    """
    entered = left = 0
    tests = set(graph.lines.get(loop.header, ()))
    latches = _latches(graph, loop)
    for arc, count in zip(graph.arcs, counts, strict=True):
        if arc.target == loop.header:
            entered += count
        leaves = arc.source in loop.blocks and arc.target not in loop.blocks
        if leaves and not arc.is_fake and arc.source not in latches and len(tests) == 1:
            lines = graph.lines.get(arc.source, ())
            left += count if not lines or set(lines) == tests else 0
    return entered - left


def _latches(graph: Graph, loop: Loop) -> set[int]:
    """Return the blocks that end a round, past which nothing is done any more."""
    latches: set[int] = set()
    while True:
        idle = {block for block in latches if not graph.lines.get(block)}
        more = {
            arc.source
            for arc in graph.arcs
            if arc.target in idle | {loop.header} and arc.source in loop.blocks
        }
        if more <= latches:
            return latches
        latches |= more


def _dominators(
    followers: Mapping[int, list[int]], leaders: Mapping[int, list[int]]
) -> dict[int, int]:
    """Return, for each block that is reached, the last one that all ways to it pass.

    The algorithm of K. Cooper, T. Harvey and K. Kennedy.
    """
    order = _reverse_postorder(followers)
    rank = {block: number for number, block in enumerate(order)}
    above = {ENTRY: ENTRY}
    is_changing = True
    while is_changing:
        is_changing = False
        for block in order[1:]:
            ways = [each for each in leaders[block] if each in above]
            new = ways[0]
            for way in ways[1:]:
                while new != way:  # up to where they meet
                    if rank[new] > rank[way]:
                        new = above[new]
                    else:
                        way = above[way]  # noqa: PLW2901 - it is climbed
            if above.get(block) != new:
                above[block] = new
                is_changing = True
    return above


def _dominates(block: int, below: int, above: Mapping[int, int]) -> bool:
    while below != block and below in above and above[below] != below:
        below = above[below]
    return below == block


def _reverse_postorder(followers: Mapping[int, list[int]]) -> list[int]:
    seen = {ENTRY}
    order = []
    stack = [(ENTRY, iter(followers.get(ENTRY, ())))]
    while stack:
        block, rest = stack[-1]
        for follower in rest:
            if follower not in seen:
                seen.add(follower)
                stack.append((follower, iter(followers.get(follower, ()))))
                break
        else:
            order.append(block)
            stack.pop()
    return order[::-1]


def _place_of(graph: Graph, header: int, body: set[int]) -> Place:
    """Return where a loop begins: at its header or, without a line, its body."""
    if lines := graph.lines.get(header):
        return lines[0]
    inside = [line for block in body for line in graph.lines.get(block, ())]
    in_file = [line for line in inside if line.file == graph.place.file]
    return min(in_file or inside, key=lambda place: place.line, default=graph.place)
