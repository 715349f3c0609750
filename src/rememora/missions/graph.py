"""The call graph of a mission: whether another edge would close a loop or go too deep (W5; pure).

The graph stays free of cycles for the whole life of the mission, in any order of answers: a chain of calls is
then never longer than the graph is deep, whatever the agents do. An answer is not an edge, and repeating an
edge is not a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from rememora.domain.mission_bus import CallKind, Edge

Graph = Mapping[str, Mapping[str, int]]


def find_loop(graph: Graph, sender: str, to: str) -> tuple[str, ...]:
    """Return the loop that a call from `sender` to `to` would close, or nothing."""
    if sender == to:
        return (sender, to)
    # Breadth first from the called agent, over calls that are already open: if the sender can be reached, the
    # new call would close a loop. The shortest one is shown.
    came_from: dict[str, str] = {to: to}
    queue = [to]
    for node in queue:
        for following in graph.get(node, ()):
            if following in came_from:
                continue
            came_from[following] = node
            if following == sender:
                return (sender, *reversed(_trail(came_from, sender, to)))
            queue.append(following)
    return ()


def depth_with(graph: Graph, sender: str, to: str) -> int:
    """Return the length of the longest chain through the edge `sender` to `to`."""
    return _longest(_reversed(graph), sender) + 1 + _longest(graph, to)


def with_edge(graph: Graph, sender: str, to: str) -> dict[str, dict[str, int]]:
    """Return the graph with that call counted."""
    row = dict(graph.get(sender, {}))
    row[to] = row.get(to, 0) + 1
    return {**{name: dict(targets) for name, targets in graph.items() if name != sender}, sender: row}


def with_call(
    edges: Mapping[str, Mapping[str, Edge]], sender: str, to: str, *, kind: CallKind, at: datetime
) -> dict[str, dict[str, Edge]]:
    """Return the edges with the time and the kind of that call recorded."""
    row = dict(edges.get(sender, {}))
    before = row.get(to)
    kinds = dict(before.kinds) if before else {}
    kinds[kind] = kinds.get(kind, 0) + 1
    row[to] = Edge(first_at=before.first_at if before else at, last_at=at, kinds=kinds)
    return {**{name: dict(targets) for name, targets in edges.items() if name != sender}, sender: row}


def _trail(came_from: Mapping[str, str], start: str, end: str) -> list[str]:
    trail = [start]
    while trail[-1] != end:
        trail.append(came_from[trail[-1]])
    return trail


def _reversed(graph: Graph) -> dict[str, dict[str, int]]:
    turned: dict[str, dict[str, int]] = {}
    for sender, targets in graph.items():
        for to, count in targets.items():
            turned.setdefault(to, {})[sender] = count
    return turned


def _longest(graph: Graph, start: str) -> int:
    # An acyclic graph is done in as many rounds as it is deep; the bound is for one that was corrupted.
    level, depth = {start}, 0
    while depth <= len(graph) and (level := {to for node in level for to in graph.get(node, ())}):
        depth += 1
    return depth
