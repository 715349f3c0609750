"""Figures of `bench/results` as pages repeat them by hand, in both languages: what must be said, and whence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from tests.house.source import ROOT

OURS, READING, LIMIT = "Rememora", "Rememora, reading", "limit"
QDRANT, SQLITE, POSTGRES = "mem0, Qdrant", "LangGraph SqliteStore", "LangGraph PostgresStore"
WRITE, ASK, FIRST = "write, CPU ms", "recall top 5, CPU ms", "first recall p50, CPU ms"
OPEN, DELETE, ADDED = "open and first recall, CPU ms", "delete a conversation, CPU ms", "MB added"
A_BILLION = 11_600
"""Messages a second, of a thousand million a day."""
FRACTIONS = {
    4: ("a quarter", "um quarto"),
    5: ("a fifth", "um quinto"),
    6: ("a sixth", "um sexto"),
    7: ("a seventh", "um sétimo"),
    8: ("an eighth", "um oitavo"),
}


class Piece(NamedTuple):
    """A phrase that a page should have, and the figures in it."""

    page: str
    text: str
    source: str


@cache
def read(name: str) -> Any:
    """The figures of a file."""
    return json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def localized(text: str, tongue: int) -> str:
    """A figure as English writes it, or as Portuguese does: the comma and the point change places."""
    return text.translate(str.maketrans(",.", ".,")) if tongue else text


def short(value: float) -> str:
    """Two digits after the point below 1, one below 10, none above: how pages round what a benchmark measured."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def span(values: Iterable[float], tongue: int) -> str:
    """The least and the greatest of some shares."""
    low, high = (
        localized(f"{end(those):g}", tongue) for end, those in zip((min, max), [list(values)] * 2, strict=True)
    )
    return f"{low} {('to', 'a')[tongue]} {high}"


class Compared:
    """Phrases of `docs/comparison.md` or its sibling with figures of `peers.json` and `history.json`."""

    def __init__(self, tongue: int) -> None:
        self._tongue = tongue
        self._page = ("docs/comparison.md", "docs/comparison.pt-BR.md")[tongue]
        self._peers, self._history = read("peers"), read("history")

    def pieces(self) -> Iterator[Piece]:
        """Every piece, each with the table that it comes from."""
        for file, table, texts in (
            ("peers", "1,000 turns", self._small()),
            ("peers", "1,000, 10,000 and 100,000 turns: write, recall top 5", self._grown()),
            ("peers", "100,000 turns", self._large()),
            ("peers", "10,000 turns", self._middle()),
            ("peers", "1,000 users", self._crowd()),
            ("peers", "memoria_pt and LoCoMo", self._questions()),
            ("history", "rows, import_ms", self._appended()),
        ):
            for text in texts:
                yield Piece(self._page, text, f"bench/results/{file}.json, {table}")

    def _cell(self, table: str, name: str, column: str) -> str:
        row = self._peers.get(table, {"rows": {}})["rows"].get(name, {})
        # What was not measured any more is no figure: the message says which one a page still tells.
        return self._said(row[column]) if column in row else f"[none: {table}, {name}, {column}]"

    def _said(self, value: float) -> str:
        return localized(short(value), self._tongue)

    def _told(self, english: str, portuguese: str, *figures: str) -> str:
        return (english, portuguese)[self._tongue].format(*figures)

    def _small(self) -> Iterator[str]:
        rows = self._peers["1,000 turns"]["rows"]
        times = round(rows[OURS][WRITE] / rows["Memori"][WRITE])
        part = FRACTIONS.get(times, (f"1/{times}",) * 2)[self._tongue]
        yield self._told("adds a row for {} of the CPU", "uma linha por {} da CPU", part)
        opened = [self._cell("1,000 turns", name, OPEN) for name in (SQLITE, OURS)]
        yield self._told(
            "With 1,000 turns it takes {} ms of CPU, ours {}",
            "Com 1.000 turnos leva {} ms de CPU, o nosso {}",
            *opened,
        )
        deleted = {name: row[DELETE] for name, row in rows.items() if DELETE in row and not name.startswith(LIMIT)}
        # Not the same as a claim that stands whatever is measured.
        lowest = deleted[OURS] <= min(took for name, took in deleted.items() if name != READING)
        yield self._told(
            "ours is the lowest, {} ms" if lowest else "ours takes {} ms",
            "o nosso é o menor, {} ms" if lowest else "o nosso leva {} ms",
            self._said(deleted[OURS]),
        )

    def _grown(self) -> Iterator[str]:
        sizes = ("1,000 turns", "10,000 turns", "100,000 turns")
        (small, our_small), (middle, our_middle), (large, our_large) = (
            [self._cell(size, name, WRITE) for name in (QDRANT, OURS)] for size in sizes
        )
        yield self._told(
            "one more costs {} ms of CPU there and {} here",
            "mais um custa {} ms de CPU lá e {} aqui",
            small,
            our_small,
        )
        yield self._told(
            "with 10,000 it is {} and {}, with 100,000 {} and {}",
            "com 10.000, {} e {}; com 100.000, {} e {}",
            *(middle, our_middle, large, our_large),
        )
        reading = [self._cell(size, READING, WRITE) for size in sizes[:2]]
        yield self._told("as `reply` does, it is {} and {}", "como faz `reply`, são {} e {}", *reading)
        recalls = [self._cell(size, name, ASK) for size in sizes for name in (OURS, QDRANT)]
        yield self._told(
            "A question costs {} ms here and {} there, with 10,000 turns {} and {}, with 100,000 {} and {}",
            "Uma pergunta custa {} ms aqui e {} lá, com 10.000 turnos {} e {}, com 100.000 {} e {}",
            *recalls,
        )

    def _large(self) -> Iterator[str]:
        theirs = [self._cell("100,000 turns", name, ASK) for name in ("Chroma", POSTGRES)]
        yield self._told("for {} and {} ms of CPU", "por {} e {} ms de CPU", *theirs)
        ours = self._cell("100,000 turns", OURS, ASK)
        yield self._told("over all turns and takes {}, less", "de todos os turnos e leva {}, menos", ours)
        deleted = [self._cell("100,000 turns", name, DELETE) for name in ("Chroma", OURS)]
        yield self._told("takes Chroma {} ms and us {}", "leva {} ms no Chroma e {} aqui", *deleted)

    def _middle(self) -> Iterator[str]:
        deleted = [self._cell("10,000 turns", name, DELETE) for name in (POSTGRES, "MemPalace", OURS)]
        yield self._told("It takes {} and {} ms there and {} here", "Leva {} e {} ms lá e {} aqui", *deleted)
        added = [self._cell("10,000 turns", name, ADDED) for name in (SQLITE, OURS)]
        yield self._told(
            "With 10,000 turns it adds {} MB, ours {}", "Com 10.000 turnos acrescenta {} MB, o nosso {}", *added
        )

    def _crowd(self) -> Iterator[str]:
        theirs, ours = (self._cell("1,000 users", name, FIRST) for name in (SQLITE, OURS))
        yield self._told("question to one for {} ms of CPU", "sobre uma delas com {} ms de CPU", theirs)
        yield self._told("neighbours and dates too and takes {}", "vizinhos e datas e leva {}", ours)
        cells = [
            self._cell("1,000 users", name, column)
            for name in (OURS, QDRANT, "Chroma")
            for column in (FIRST, ADDED)
        ]
        yield self._told(
            "{} ms of CPU and {} MB for 1,000 people of 100 turns, where mem0 on Qdrant takes {} ms and {} MB, "
            "and Chroma {} ms and {} MB",
            "{} ms de CPU e {} MB para 1.000 pessoas de 100 turnos, enquanto o mem0 com Qdrant leva {} ms e {} "
            "MB, e o Chroma {} ms e {} MB",
            *cells,
        )

    def _questions(self) -> Iterator[str]:
        rows = self._peers["memoria_pt"]["rows"]
        theirs = {name: row for name, row in rows.items() if "Rememora" not in name and "R@10" in row}
        others = [row for name, row in theirs.items() if not name.startswith("Hindsight")]
        two, four, half = (f"in {budget} tokens, %" for budget in ("2,000", "4,000", "500"))
        ours, still = rows[OURS][two], rows[OURS][two] == rows[OURS][four]
        yield self._told(
            "best turns hold {} % there, ours {}, and {} in 4,000 tokens, ours {}" + (" still" if still else ""),
            "contêm ali {} %, os nossos {}, e {} em 4.000 tokens, os nossos " + ("ainda " if still else "") + "{}",
            span((row[two] for row in others), self._tongue),
            self._share(ours),
            span((row[four] for row in others), self._tongue),
            self._share(rows[OURS][four]),
        )
        yield self._told(
            "Hindsight holds {}", "os do Hindsight, {}", self._share(rows["Hindsight, LLM none"][two])
        )
        yield self._told(
            "In 500 tokens ours hold {} and theirs {}",
            "Em 500 tokens os nossos contêm {} e os deles {}",
            self._share(rows[OURS][half]),
            span((row[half] for row in theirs.values()), self._tongue),
        )
        both = [rows, self._peers["LoCoMo"]["rows"]]
        shares = [
            localized(f"{table[name]['R@10']:.1f}", self._tongue) for table in both for name in (READING, OURS)
        ]
        yield self._told(
            "{} % of the evidence is among the first ten of memoria_pt in place of {}, {} in place of {} on "
            "LoCoMo",
            "{} % da evidência está entre os dez primeiros do memoria_pt em vez de {}, e {} em vez de {} no "
            "LoCoMo",
            *shares,
        )

    def _share(self, value: float) -> str:
        return localized(f"{value:g}", self._tongue)

    def _appended(self) -> Iterator[str]:
        rows = self._history["rows"]
        bulk, opened, deleted = (
            [rows[name][peer]["cpu_ms"] for peer in ("SqliteStore", OURS)] for name in ("bulk", "open", "delete")
        )
        yield self._told(
            "({} ms a message, ours {})", "({} ms por mensagem, a nossa {})", *(self._said(took) for took in bulk)
        )
        yield self._told("({} ms, ours {})", "({} ms, a nossa {})", *(self._said(took) for took in opened))
        theirs, ours = (localized(f"{took:.2f}", self._tongue) for took in deleted)
        yield self._told("({} ms, theirs {})", "({} ms, lá {})", ours, theirs)
        yield self._told(
            "takes {} ms of CPU there", "leva {} ms de CPU ali", self._said(self._history["import_ms"])
        )


def produced(tongue: int) -> Iterator[Piece]:
    """Phrases of `docs/how-to/production.md` or its sibling with the arithmetic for Citus."""
    page = ("docs/how-to/production.md", "docs/how-to/production.pt-BR.md")[tongue]
    append, cold = read("engines")["rows"]["append"]["PostgreSQL"], read("recall_cold")["rows"]
    whole, alone = (
        cold[name]["Rememora on PostgreSQL"]["cpu_ms"] for name in ("append, with background work", "append")
    )
    server, client, rate = (
        append["server_cpu_ms"],
        append["cpu_ms"],
        read("tenants")["rows"]["measured"]["PostgreSQL"],
    )
    second = rate["messages a second"]
    server_ms = localized(f"{server:.2f}", tongue)
    cores = [f"{took * A_BILLION / 1e3:.0f}" for took in (server, client, whole - alone)]
    engines, tenants = (
        "bench/results/engines.json, append, PostgreSQL",
        "bench/results/tenants.json, messages a second",
    )
    behind = "bench/results/recall_cold.json, append with background work less append, Rememora on PostgreSQL"
    for source, english, portuguese, figures in (
        (tenants, "{} messages a second", "{} mensagens por segundo", [localized(f"{second:,}", tongue)]),
        (tenants, "are {} times it", "são {} vezes ela", [localized(f"{A_BILLION / second:.1f}", tongue)]),
        (engines, "and {} ms of the server's CPU", "e {} ms de CPU do servidor", [server_ms]),
        (
            engines,
            "{} cores of servers (11,600 × {} ms)",
            "{} núcleos de servidores (11.600 × {} ms)",
            [cores[0], server_ms],
        ),
        (
            engines,
            "need {} cores more ({} ms each)",
            "pedem mais {} núcleos ({} ms cada)",
            [cores[1], localized(f"{client:.1f}", tongue)],
        ),
        (
            behind,
            "their background work {} ({} ms each",
            "o seu trabalho de fundo {} ({} ms cada",
            [cores[2], localized(f"{whole - alone:.2f}", tongue)],
        ),
    ):
        yield Piece(page, (english, portuguese)[tongue].format(*figures), source)
