"""Counts of all arcs of a graph from the counters of some.

What enters a block leaves it, and what leaves the function has entered it; the arcs
without a counter make a spanning tree, so that each follows from the others.

References
----------
T. Ball, J. Larus. Optimally profiling and tracing programs. ACM TOPLAS 16, 1994.
"""

from collections.abc import Sequence

from scalewatch_agent.counts.gcov.notes import ENTRY, EXIT, Graph, Unreadable


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
