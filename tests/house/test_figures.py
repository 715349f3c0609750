"""Figures that pages repeat by hand are those of the newest results."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.house.source import ROOT


@cache
def read(name: str) -> Any:
    """The figures of a file."""
    return json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def pieces() -> dict[str, list[str]]:
    """What each page should say, made of the files."""
    product, ranking, load = read("recall_product"), read("recall")["cost"], read("load")
    peers, history, served = read("peers"), read("history")["rows"], read("recall_server")["served"]
    pool = read("postgres_pool")["rows"]["a transaction of one statement"]
    pool_rows = [pool[name] for name in ("ours", "psycopg_pool", "psycopg_pool, check")]
    alone, among = ([row[column] for row in pool_rows] for column in ("alone, µs", "among 8 threads, µs"))
    nearest = read("tokens")["evidence"]["LoCoMo"]
    duck = read("duckdb_vectors")["rows"]["exact, within one user"].values()
    spoken = next(said for said in read("answers")["models"].values() if said["room"] > 2**13)["tables"]["LoCoMo"]
    words = [spoken[way]["words, %"] for way in ("our pack", "full history", "BM25 passages", "cosine ranking")]
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
        f"a ranking by cosine {words[3]:.0f}",
        f"{first['Rememora']:.1f} ms | mem0 on Qdrant {first['mem0, Qdrant']:,.0f}, Chroma {first['Chroma']:.0f}",
        f"{large['Rememora']['recall top 5, CPU ms']:.0f} and "
        f"{large['Rememora']['open and first recall, CPU ms']:.0f} ms",
        f"{load['per_second']:.0f} requests a second, 95 of 100 within {load['all_p95_ms']:.0f} ms",
        f"{history['last']['Rememora']['cpu_ms']:.2f} ms | LangGraph SqliteStore "
        f"{history['last']['SqliteStore']['cpu_ms']:.2f}",
    ]
    return {
        "README.md": front,
        "docs/comparison.md": [
            f"({history['delete']['Rememora']['cpu_ms']:.2f} ms, theirs "
            f"{history['delete']['SqliteStore']['cpu_ms']:.2f})",
            f"takes {read('history')['import_ms']:.0f} ms of CPU there",
        ],
        "docs/why/dependencies.md": [
            "a transaction takes {} µs with ours, {} µs with the pool and {} µs".format(*alone),
            "among eight threads {}, {} and {} µs".format(*among),
        ],
        "docs/why/duckdb.md": [
            " | ".join(f"{row['p50 ms of CPU']} ms" for row in duck),
            " | ".join(f"{row['laid down, ms of CPU an item']} ms" for row in duck),
        ],
        "docs/why/embedder.md": [
            " | ".join(f"**{quality[f'LoCoMo {name}']}**" for name in ("R@5", "R@10", "all@10")),
            " | ".join(
                f"**{quality[name]}**" for name in ("memoria_pt R@5", "memoria_pt R@10", "paraphrase R@10")
            ),
            f"One question takes {embedder['single p50 ms']} ms, a batch {embedder['in a batch ms']} ms a text",
        ],
        "docs/why/recall.md": [
            f"takes {million['MB own']} MB of the process's own memory",
            f"({million['first recall, CPU ms'] / 1e3:.0f} s of CPU",
            f"about a million messages costs {million['recall p50, CPU ms']:.0f} ms of CPU",
            f"answered within {served['p50_ms']} ms and 95 of 100 within {served['p95_ms']} ms",
        ],
        "docs/how-to/production.md": [
            f"{read('tenants')['rows']['measured']['PostgreSQL']['messages a second']:,}"
        ],
    }


def test_pages_repeat_the_newest_figures() -> None:
    """A figure that was measured again is written again wherever a page repeats it."""
    stale = [
        f"{name}: {piece}"
        for name, those in pieces().items()
        for piece in those
        if piece not in (ROOT / name).read_text(encoding="utf-8")
    ]

    assert [] == stale
