"""The tables of peers: rows keep their runs, aims are judged by code, and each of a crowd is asked once."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench import _peer_child
from bench._frame import Run, overloaded
from bench._peer_quality import found_row
from bench._peer_tables import SESSION, PeerTables, merged
from bench.peers import PEERS, too_slow
from bench.recall import Asked, Case
from tools import bench_peers, bench_tables, run_bench, write_benchmarks

from rememora.userindex.rows import Row

MOMENT = datetime(2026, 3, 2, tzinfo=UTC)
ORDER = list(PEERS)
EARLY: dict[str, Any] = {"command": "python bench/peers.py --sets none", "loaded": True}
LATE: dict[str, Any] = {"command": "python bench/peers.py --only chroma", "loaded": False}


def frames() -> list[tuple[str, dict[str, Any]]]:
    """Every run of a published figure, with the name of its file."""
    result: list[tuple[str, dict[str, Any]]] = []
    for file in write_benchmarks.RESULTS.glob("*.json"):
        document = json.loads(file.read_text(encoding="utf-8"))
        parts = [*document.get("models", {}).values(), document] if file.stem != "peers" else []
        tables = [part for part in document.values() if isinstance(part, dict) and "runs" in part]
        result += [(file.stem, part.get("run", part)) for part in parts if "command" in part.get("run", part)]
        result += [(file.stem, run) for part in tables for run in part["runs"]]
    return result


def test_make_bench_runs_the_commands_of_the_published_figures() -> None:
    """A figure that another command made is named among the older ones, with the reason."""
    older = {name for name, run in frames() if not run_bench.runs(run["command"])}

    assert older <= run_bench.OLDER.keys()
    assert {"quality", "peers", "answers", "reply", "tenants"} <= {name for name, _ in frames()}


def test_a_figure_of_an_older_command_says_so() -> None:
    """The page tells where `make bench` would run something else."""
    peers = bench_tables.said_run(
        json.loads((write_benchmarks.RESULTS / "quality.json").read_text(encoding="utf-8"))["run"]
        | {"command": "python bench/quality.py --conversations 2"},
        0,
    )

    assert "`make bench` runs another command now" in "\n".join(peers)


def test_what_was_measured_under_load_says_so() -> None:
    """A run is loaded by what others did at its start or its end, also in a table of several runs."""
    wrong = [
        (name, run["command"])
        for name, run in frames()
        if "load" in run and run["loaded"] != overloaded(run["load"], run["hardware"]["cores"])
    ]

    assert [] == wrong


def test_every_peer_has_a_row_or_a_reason() -> None:
    """Nobody is left out of a table of costs in silence."""
    figures = json.loads((write_benchmarks.RESULTS / "peers.json").read_text(encoding="utf-8"))
    there = {name: set(table["rows"]) | set(table["missing"]) for name, table in bench_peers.tables_of(figures)}

    assert {} == {
        name: set(PEERS) - those for name, those in there.items() if name[0].isdigit() and those != set(PEERS)
    }


def test_rows_of_a_later_run_replace_their_own_alone() -> None:
    """Other rows keep their figures and their run; a row that is back has no reason any more."""
    early = merged({}, {"Rememora": {"turns": 1}, "Chroma": {"turns": 2}}, {"Memori": "too slow"}, EARLY, ORDER)
    late = merged(early, {"Chroma": {"turns": 3}, "Memori": {"turns": 4}}, {}, LATE, ORDER)

    assert {"Rememora": {"turns": 1}, "Chroma": {"turns": 3}, "Memori": {"turns": 4}} == late["rows"]
    assert {} == late["missing"]
    assert [(["Rememora"], True), (["Chroma", "Memori"], False)] == [
        (run["rows"], run["loaded"]) for run in late["runs"]
    ]


def test_a_size_takes_the_rates_of_smaller_ones(tmp_path: Path) -> None:
    """Rates of another run tell which peers are too slow, with a true reason."""
    file = tmp_path / "peers.json"
    PeerTables(Run(), file, ORDER).add("1,000 turns", {"Chroma": {"bulk, CPU ms a turn": 3.0}}, {})
    rates = PeerTables(Run(), file, ORDER).rates(10_000)

    assert {"Chroma": "at 3.0 ms a turn, 10,000 take 30 s of CPU (limit 20)"} == too_slow(rates, 10_000, 20)
    assert {} == PeerTables(Run(), file, ORDER).rates(1_000)


def test_aims_are_judged_from_the_rows() -> None:
    """A durable peer below ours, mem0's multiple and that of the limit, and the cold opening."""
    rows = {
        "Rememora": {"write, CPU ms": 2.0, "open and first recall, ms": 210.0},
        "mem0, FAISS": {"write, CPU ms": 30.0},
        "LangGraph InMemoryStore": {"write, CPU ms": 0.1},
        "Memori": {"write, CPU ms": 1.0},
        "limit: SQLite and numpy": {"write, CPU ms": 0.5},
    }
    page = "\n".join(bench_peers.aims({"10,000 turns": {"rows": rows}}, 0))

    assert "| write, CPU ms | 2 / 1 (Memori): missed |" in page
    assert "| write, CPU ms: mem0, FAISS | 15.0×: met |" in page
    assert "| write, CPU ms | 4.0×: missed |" in page
    assert "210 ms: missed" in page


def test_each_of_a_crowd_is_asked_about_a_turn_of_theirs(tmp_path: Path) -> None:
    """The question has an answer, which words and vectors find; another person's turn would not count."""
    said = [
        f"On day {number} Maria bought {number + 3} boxes of part {number * 7} for the shop in street {number}."
        for number in range(100)
    ]
    turns = [{"id": f"t{number}", "role": "user", "text": text} for number, text in enumerate(said)]
    (tmp_path / "data.json").write_text(json.dumps([{"turns": turns, "asked": ["x"]}]), encoding="utf-8")
    (tmp_path / "texts.json").write_text(json.dumps(["x"]), encoding="utf-8")
    _peer_child.cases_of.cache_clear()
    np.save(tmp_path / "vectors.npy", np.ones((1, 512), dtype="float32"))
    for name in ("limit-sqlite", "rememora"):
        row = _peer_child.crowd(name, tmp_path, 3, 60)
        reply = _peer_child.strangers(name, tmp_path, row["users"], 60)

        assert (3, 0, 100.0) == (
            reply["people asked"],
            reply["questions without a hit"],
            reply["turn found among 5, %"],
        )
    _peer_child.cases_of.cache_clear()


@pytest.mark.parametrize("tongue", [0, 1])
def test_the_page_names_the_runs_of_each_table(tongue: int) -> None:
    """Loaded rows stand apart from those of a quiet run."""
    page = write_benchmarks.page(tongue)

    assert page.count("python bench/peers.py --sets none --sizes 10000 --crowd 0 --only") == len(("one", "other"))
    assert page.count("python bench/answers.py") == len(("4,096", "32,768"))


def test_questions_are_marked_by_turn_by_session_and_within_a_budget() -> None:
    """Sessions are as good as their best turns, and what is no turn of the history counts for nothing."""
    rows = [
        Row(
            id=f"t{place}",
            text=f"word {place}",
            at=MOMENT,
            conversation=f"s{place // 2}",
            position=place,
            role="user",
        )
        for place in range(12)
    ]
    case = Case(name="ana", rows=rows, asked=[Asked(text="word", kind="single", evidence=("t1", "t11"))])
    ids = ["", "t0", "t2", "t4", "t6", "t8", "t11"]
    row = found_row({"hits": [[ids]], "deep": [[ids]], "add": 1.0, "search": 2.0}, [case])

    assert (0.0, 50.0, 0.0) == (row["R@5"], row["R@10"], row["all@10"])
    assert (50.0, 100.0, 100.0) == (row[f"{SESSION}R@5"], row[f"{SESSION}R@10"], row[f"{SESSION}all@20"])
    assert 50.0 == row["in 500 tokens, %"]


def test_the_page_parts_questions_and_names_our_pack() -> None:
    """A file of before sessions were marked is shown whole; a newer one in parts, our pack in the last alone."""
    memori = {"questions": 3, "R@5": 1.5, f"{SESSION}R@5": 2.5, "in 500 tokens, %": 3.5}
    pack = {"questions": 3, "in 500 tokens, %": 4.5, "used of 500": 490}
    older = "\n".join(bench_peers.parted({"Memori": {"questions": 3, "R@5": 1.5}}, 0))
    newer = "\n".join(bench_peers.parted({"Memori": memori, "Rememora, pack": pack}, 0))

    assert "**" not in older
    assert "|  | questions | R@5 |\n|---|--:|--:|\n| Memori | 3 | 1.5 |\n\n**by session**" in newer
    assert "| Memori | 3 | 2.5 |" in newer
    assert "| Rememora, pack | 3 | 4.5 | 490 |" in newer


@pytest.mark.parametrize(
    ("load", "cores", "marked"),
    [
        ({"start": 1.1, "end": 0.5, "own": 1.0}, 2, True),
        ({"start": 0.9, "end": 1.9, "own": 1.0}, 2, False),
        ({"start": 0.9, "end": 2.1, "own": 1.0}, 2, True),
        ({"start": 0.9, "end": 2.9, "own": 2.0}, 2, False),
        ({"start": 0.9, "end": 9.0}, 2, False),
    ],
)
def test_a_run_is_loaded_by_others(load: dict[str, float], cores: int, marked: bool) -> None:
    """Its own cores do not count at the end; a file that does not tell them is judged by the start."""
    assert marked == overloaded(load, cores)


def test_a_run_that_was_loaded_late_says_so() -> None:
    """The page tells the load at the end where that is what marks it."""
    run = json.loads((write_benchmarks.RESULTS / "quality.json").read_text(encoding="utf-8"))["run"]
    run |= {"load": {"start": 0.5, "end": 7.5, "own": 1.0}, "loaded": True}

    assert "at the end** (load 7.5 on 2 cores, of which 1 is" in "\n".join(bench_tables.said_run(run, 0))
