"""Figures that pages repeat by hand are those of the newest results."""

from __future__ import annotations

from copy import deepcopy

import pytest
from tests.house import figures
from tests.house.figures import Compared, Piece, produced, read
from tests.house.source import ROOT

ANSWERED = {"cosine ranking": "a ranking by cosine", "mem0, Qdrant": "mem0's turns", "Memori": "Memori's"}
"""Ways of an answer's context, and how the page names them."""


def pieces() -> dict[tuple[str, str], list[str]]:
    """Return the phrases that each page should have, made of the files beside its name."""
    product, ranking, load = read("recall_product"), read("recall")["cost"], read("load")
    peers, history, served = read("peers"), read("history")["rows"], read("recall_server")["served"]
    pool = read("postgres_pool")["rows"]["a transaction of one statement"]
    pool_rows = [pool[name] for name in ("ours", "psycopg_pool", "psycopg_pool, check")]
    alone, among = ([row[column] for row in pool_rows] for column in ("alone, µs", "among 8 threads, µs"))
    nearest = read("tokens")["evidence"]["LoCoMo"]
    duck = read("duckdb_vectors")["rows"]["exact, within one user"].values()
    spoken = next(said for said in read("answers")["models"].values() if said["room"] > 2**13)["tables"]["LoCoMo"]
    words = [spoken[way]["words, %"] for way in ("our pack", "full history", "BM25 passages")]
    # Results of before peers were asked have a ranking of ours in their place.
    peers_said = {name: spoken[way]["words, %"] for way, name in ANSWERED.items() if way in spoken}
    peers_line = ", ".join(f"{name} {share:.0f}" for name, share in peers_said.items())
    crowd, large = peers["1,000 users"]["rows"], peers["100,000 turns"]["rows"]
    first = {name: row.get("first recall p50, CPU ms", 0) for name, row in crowd.items()}
    million = read("recall_growth")["sizes"]["1 user of 1,000,000"]
    quality, embedder = read("ablations")["ablations"]["default"], read("recall")["embedder"]
    front = [
        f"{product['LoCoMo']['quality']['all']['R@10']} %",
        f"{product['memoria_pt']['quality']['all']['R@10']} %",
        f"{ranking['10,000 messages']['p50 ms']:.1f} ms, 95 of 100 within",
        " / ".join(f"{row['evidence']:.0f}" for row in nearest.values()) + " %",
        f"{words[0]:.0f} % | the full history of 19,700 tokens {words[1]:.0f}, BM25 passages {words[2]:.0f}, "
        f"{peers_line}",
        f"{first['Rememora']:.1f} ms | mem0 on Qdrant {first['mem0, Qdrant']:,.0f}, Chroma {first['Chroma']:.0f}",
        f"{large['Rememora']['recall top 5, CPU ms']:.0f} and "
        f"{large['Rememora']['open and first recall, CPU ms']:.0f} ms",
        f"{load['per_second']:.0f} requests a second, 95 of 100 within {load['all_p95_ms']:.0f} ms",
        f"{history['last']['Rememora']['cpu_ms']:.2f} ms | LangGraph SqliteStore "
        f"{history['last']['SqliteStore']['cpu_ms']:.2f}",
    ]
    return {
        ("README.md", "recall_product, recall, tokens, answers, peers, load, history"): front,
        ("docs/why/dependencies.md", "postgres_pool"): [
            "a transaction takes {} µs with ours, {} µs with the pool and {} µs".format(*alone),
            "among eight threads {}, {} and {} µs".format(*among),
        ],
        ("docs/why/duckdb.md", "duckdb_vectors"): [
            " | ".join(f"{row['p50 ms of CPU']} ms" for row in duck),
            " | ".join(f"{row['laid down, ms of CPU an item']} ms" for row in duck),
        ],
        ("docs/why/embedder.md", "ablations, recall"): [
            " | ".join(f"**{quality[f'LoCoMo {name}']}**" for name in ("R@5", "R@10", "all@10")),
            " | ".join(
                f"**{quality[name]}**" for name in ("memoria_pt R@5", "memoria_pt R@10", "paraphrase R@10")
            ),
            f"One question takes {embedder['single p50 ms']} ms, a batch {embedder['in a batch ms']} ms a text",
        ],
        ("docs/why/recall.md", "recall_growth, recall_server"): [
            f"takes {million['MB own']} MB of the process's own memory",
            f"({million['first recall, CPU ms'] / 1e3:.0f} s of CPU",
            f"about a million messages costs {million['recall p50, CPU ms']:.0f} ms of CPU",
            f"answered within {served['p50_ms']} ms and 95 of 100 within {served['p95_ms']} ms",
        ],
    }


def every() -> list[Piece]:
    """The pieces of all pages."""
    plain = [
        Piece(page, text, f"bench/results: {names}") for (page, names), texts in pieces().items() for text in texts
    ]
    return [*plain, *(piece for tongue in (0, 1) for piece in (*Compared(tongue).pieces(), *produced(tongue)))]


def stale() -> list[str]:
    """Return the phrases that are missing on pages, each with its page and the source of its figures."""
    return [
        f"{piece.page} must say {piece.text!r} ({piece.source})"
        for piece in every()
        if piece.text not in (ROOT / piece.page).read_text(encoding="utf-8")
    ]


def test_pages_repeat_the_newest_figures() -> None:
    """A figure that was measured again is written again wherever a page repeats it."""
    lines = stale()

    assert [] == lines, "\n".join(lines)


def test_a_figure_that_is_measured_again_makes_the_pages_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the page, what it must say, and the file and table that say so."""
    renewed = deepcopy(read("peers"))
    for name, added in (("Rememora", 4321), ("LangGraph SqliteStore", 1234)):
        renewed["10,000 turns"]["rows"][name]["MB added"] = added
    monkeypatch.setattr(figures, "read", lambda name: renewed if name == "peers" else read(name))

    assert [
        "docs/comparison.md must say 'With 10,000 turns it adds 1,234 MB, ours 4,321' "
        "(bench/results/peers.json, 10,000 turns)",
        "docs/comparison.pt-BR.md must say 'Com 10.000 turnos acrescenta 1.234 MB, o nosso 4.321' "
        "(bench/results/peers.json, 10,000 turns)",
    ] == [line for line in stale() if "321" in line and "234" in line]
