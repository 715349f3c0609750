"""The section of peers in the report: each table with the runs of its rows, and the aims of speed by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench._peer_tables import SESSION
from tools.bench_tables import Figures, Lines, grid, said_run
from tools.bench_words import word

Rows = Mapping[str, Mapping[str, float]]
OURS, READING, LIMIT, MEM0 = "Rememora", "Rememora, reading", "limit: SQLite and numpy", "mem0"
COLUMNS = (
    "write, CPU ms",
    "write, ms",
    "bulk, CPU ms a turn",
    "recall top 5, CPU ms",
    "recall top 5, ms",
    "last 10, CPU ms",
    "open and first recall, CPU ms",
    "open and first recall, ms",
    "first recall p50, CPU ms",
    "first recall p50, ms",
    "delete a conversation, CPU ms",
    "delete a conversation, ms",
    "delete the person, CPU ms",
    "MB added",
    "MB on disk",
    "packages",
    "import, CPU s",
    "MB after the import",
)
"""What less of is better."""
WRITES = ("write, CPU ms", "bulk, CPU ms a turn")
QUESTIONS = ("recall top 5, CPU ms", "first recall p50, CPU ms")
MEM0_TIMES, LIMIT_TIMES, COLD_MS = 10, 3, 200
IN_MEMORY = "LangGraph InMemoryStore"
"""Keeps nothing after the process, which its row of what is installed does not show."""
COLD = "10,000 turns", "open and first recall, ms"
TITLES = {
    "LoCoMo": ("LoCoMo: questions", "LoCoMo: perguntas"),
    "memoria_pt": ("memoria_pt: questions", "memoria_pt: perguntas"),
    "installed": ("Installed", "Instalado"),
    "1,000 turns": ("One person with 1,000 turns", "Uma pessoa com 1.000 turnos"),
    "10,000 turns": ("One person with 10,000 turns", "Uma pessoa com 10.000 turnos"),
    "100,000 turns": ("One person with 100,000 turns", "Uma pessoa com 100.000 turnos"),
    "1,000 users": (
        "1,000 people of 100 turns, each asked for the first time",
        "1.000 pessoas de 100 turnos, cada uma perguntada pela primeira vez",
    ),
}


def peers(figures: Figures, tongue: int) -> Lines:
    """Every peer on the same vectors, those that did not run, and which aims are met."""
    yield "![](images/benchmarks/peers.svg)\n"
    yield word("peers", tongue) + "\n"
    if "versions" in figures:
        lines = [
            f"{name} {number}" for version in figures["versions"].values() for name, number in version.items()
        ]
        yield ", ".join(dict.fromkeys(lines)) + ".\n"
    for name, table in tables_of(figures):
        yield f"### {TITLES[name][tongue] if name in TITLES else name}\n"
        yield from runs(table, tongue)
        yield from parted(table["rows"], tongue)
        for peer, why in table["missing"].items():
            yield f"- {word('not run', tongue)}: {peer}: {why}"
        yield ""
    yield from aims(figures, tongue)


def tables_of(figures: Figures) -> Iterator[tuple[str, Any]]:
    """Each table by its name."""
    for name, table in figures.items():
        if name not in ("run", "versions"):
            yield name, table


def parted(rows: Rows, tongue: int) -> Lines:
    """A table of costs as it is, one of questions in parts: by turn, by session, and within a budget of tokens."""
    if not any(column.startswith(SESSION) for row in rows.values() for column in row):
        yield from grid(rows)
        return
    yield word("found", tongue) + "\n"
    for title, belongs in PARTS.items():
        yield f"**{word(title, tongue)}**\n"
        yield from grid(
            {
                name: {"questions": row["questions"]} | cells
                for name, row in rows.items()
                if (cells := {key.removeprefix(SESSION): value for key, value in row.items() if belongs(key)})
            }
        )


def in_budget(column: str) -> bool:
    """Return whether a column tells of a context."""
    return column.startswith(("in ", "used of ")) or column == "tokens"


PARTS: Mapping[str, Callable[[str], bool]] = {
    "by turn": lambda column: not (column.startswith(SESSION) or in_budget(column) or column == "questions"),
    "by session": lambda column: column.startswith(SESSION),
    "in tokens": in_budget,
}
"""Parts of a table of questions, and which columns each has."""


def runs(table: Figures, tongue: int) -> Lines:
    """The run of the table, or that of each of its rows where they came from several."""
    for run in table["runs"]:
        whole = len(table["runs"]) == 1
        yield from said_run(run, tongue, "" if whole else "; ".join(run["rows"]))


def aims(figures: Figures, tongue: int) -> Lines:
    """Each aim by row, with what was found and whether it is met, and why it is missed where it is."""
    costs = {name: table["rows"] for name, table in tables_of(figures) if OURS in table["rows"]}
    yield f"### {word('aims of speed', tongue)}\n"
    yield word("aims", tongue) + "\n"
    for title, cells in (
        ("first", _by_column(costs, first, tongue)),
        ("ten times", beside_mem0(costs, tongue)),
        ("three times", _by_column(costs, beside_limit, tongue)),
    ):
        yield f"**{word(title, tongue)}**\n"
        yield from grid(cells)
    table, column = COLD
    if table in costs and column in costs[table][OURS]:
        took = costs[table][OURS][column]
        yield f"{word('cold aim', tongue)}: {verdict(f'{took:g} ms', met=took <= COLD_MS, tongue=tongue)}.\n"
    yield word("why missed", tongue) + "\n"


def verdict(figure: str, *, met: bool, tongue: int) -> str:
    """A figure and whether it meets its aim."""
    return f"{figure}: {word('met' if met else 'missed', tongue)}"


def _by_column(costs: Mapping[str, Rows], judge: Any, tongue: int) -> dict[str, dict[str, str]]:
    """A line for each column that less of is better, a cell for each table that has it."""
    cells = {
        column: {name: cell for name, rows in costs.items() if (cell := judge(rows, column, tongue))}
        for column in COLUMNS
    }
    return {column: row for column, row in cells.items() if row}


def first(rows: Rows, column: str, tongue: int) -> str:
    """Whether no durable peer is below ours, and which one is the lowest of them."""
    others = {
        name: row[column]
        for name, row in rows.items()
        if durable(name) and column in row and name not in (OURS, READING)
    }
    if column not in rows[OURS] or not others:
        return ""
    ours, best = rows[OURS][column], min(others, key=others.__getitem__)
    return verdict(f"{ours:g} / {others[best]:g} ({best})", met=ours <= others[best], tongue=tongue)


def durable(name: str) -> bool:
    """Whether it is a product whose memory outlives its process."""
    return name != IN_MEMORY and not name.startswith("limit")


def beside_mem0(costs: Mapping[str, Rows], tongue: int) -> dict[str, dict[str, str]]:
    """How many times our cost each of mem0's stores takes for a write and for a question."""
    return {
        f"{column}: {name}": cells
        for column in (*WRITES, *QUESTIONS)
        for name in dict.fromkeys(name for rows in costs.values() for name in rows if name.startswith(MEM0))
        if (
            cells := {
                table: times(rows[name][column] / rows[OURS][column], MEM0_TIMES, tongue, least=True)
                for table, rows in costs.items()
                if column in rows.get(name, {}) and column in rows[OURS]
            }
        )
    }


def beside_limit(rows: Rows, column: str, tongue: int) -> str:
    """How many times the cost of the limit ours is."""
    limit, ours = rows.get(LIMIT, {}).get(column), rows[OURS].get(column)
    return times(ours / limit, LIMIT_TIMES, tongue, least=False) if limit and ours else ""


def times(ratio: float, aim: int, tongue: int, *, least: bool) -> str:
    """A ratio and whether it is at least, or at the most, what was aimed for."""
    return verdict(f"{ratio:.1f}×", met=ratio >= aim if least else ratio <= aim, tongue=tongue)


def asked(figures: Figures) -> dict[str, dict[int, float]]:
    """CPU of a question by the turns of one person, a line for each peer that was measured at several sizes."""
    lines: dict[str, dict[int, float]] = {}
    for name, table in tables_of(figures):
        if name.endswith(" turns"):
            for peer, row in table["rows"].items():
                # A peer whose bulk ended early was asked about fewer turns than the others.
                if row["turns"] == (size := int(name.removesuffix(" turns").replace(",", ""))):
                    lines.setdefault(peer, {})[size] = row["recall top 5, CPU ms"]
    return {peer: line for peer, line in lines.items() if len(line) > 1 and peer != READING}
