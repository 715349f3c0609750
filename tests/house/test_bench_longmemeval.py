"""LongMemEval is read and scored as its authors do."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench import longmemeval
from bench.longmemeval import by_session, marked, tables, task, tasks
from tests.house.source import ROOT

CORPUS = ["a_1", "answer_b_1", "noans_b_3", "answer_c_1", "d_1", "e_1"]
RIGHT = frozenset({"answer_b_1", "answer_c_1"})


def turn(role: str, content: str, *, answers: bool = False) -> dict[str, Any]:
    """A turn of the authors' format."""
    return {"role": role, "content": content, "has_answer": answers}


def entry(name: str = "q1") -> dict[str, Any]:
    """A question of the authors' format, whose later session stands first."""
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "Which degree did I graduate with?",
        "answer": "Business Administration",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_280352e9", "sharegpt_1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/19 (Fri) 02:21"],
        "haystack_sessions": [
            [
                turn("user", "I graduated with a degree in Business Administration.", answers=True),
                turn("assistant", "Congratulations on your degree!"),
                turn("user", "Can you help me file my papers?"),
            ],
            [turn("user", "How do I water a cactus?"), turn("assistant", "Seldom.")],
        ],
        "answer_session_ids": ["answer_280352e9"],
    }


def test_a_question_is_read_in_the_order_of_its_sessions() -> None:
    """Only turns of the user are searched; one without a label in a session with the answer is renamed."""
    item = task(entry())

    assert ["sharegpt_1_1", "answer_280352e9_1", "noans_280352e9_3"] == item.corpus
    assert frozenset({"answer_280352e9_1"}) == item.right
    assert ["sharegpt_1_1", "sharegpt_1_2"] == [row.id for row in item.case.rows[:2]]
    assert "2023-05-30T23:40:00+00:00" == item.case.now.isoformat()


def test_questions_without_an_answer_are_left_out(tmp_path: Path) -> None:
    """Those with `_abs` in their id refer to what was never said."""
    file = tmp_path / "longmemeval_s.json"
    file.write_text(json.dumps([entry(), entry("q2_abs")]), encoding="utf-8")

    assert ["q1"] == [item.case.name for item in tasks(file)]


def test_marks_are_those_of_the_authors() -> None:
    """By turn: any, all, and a gain whose first two places count whole."""
    ranked = ["a_1", "answer_b_1", "d_1", "e_1", "answer_c_1", "noans_b_3"]
    ideal = 1 + 1 / math.log2(2)

    assert {"recall_any": 1.0, "recall_all": 0.0, "ndcg_any": 1 / ideal} == marked(ranked, RIGHT, CORPUS, 3)
    assert (1 + 1 / math.log2(5)) / ideal == pytest.approx(marked(ranked, RIGHT, CORPUS, 5)["ndcg_any"])
    assert {"recall_any": 0.0, "recall_all": 1.0, "ndcg_any": 0.0} == marked(ranked, frozenset(), CORPUS, 5)


def test_by_session_so_many_turns_are_taken_as_make_so_many_sessions() -> None:
    """Two turns of one session leave room for one more turn."""
    corpus = ["a_1", "a_3", "answer_b_1", "c_1"]
    ranked = ["a_1", "a_3", "answer_b_1", "c_1"]
    right = frozenset({"answer_b_1"})

    assert 0.0 == marked(ranked, right, corpus, 2)["recall_any"]
    assert 1.0 == by_session(ranked, right, corpus, 2)["recall_any"]


def test_a_file_of_the_authors_is_measured(tmp_path: Path) -> None:
    """Appended, settled and asked through the product, beside the plain ways; the frame is written."""
    (tmp_path / "longmemeval_s.json").write_text(json.dumps([entry()]), encoding="utf-8")
    command = [
        sys.executable,
        "bench/longmemeval.py",
        "--data",
        str(tmp_path),
        "--save",
        str(tmp_path / "out.json"),
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    shown = document["rows"]["by turn"]

    assert {"BM25", "dense", "plain RRF of both", "Rememora"} == set(shown)
    assert 100.0 == shown["Rememora"]["recall_all@5"]
    assert "python bench/longmemeval.py" == document["run"]["command"]


def test_without_the_data_the_bench_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says which file it looked for."""
    monkeypatch.setattr(sys, "argv", ["longmemeval.py", "--data", str(tmp_path)])
    longmemeval.main()

    assert "left out: no longmemeval_s.json" in capsys.readouterr().out


def test_a_question_that_only_the_assistant_answered_is_told_apart() -> None:
    """It counts in the authors' means, and not in those of questions with a labelled turn."""
    item = task(entry())
    marks = {
        way: {level: {"recall_any@5": 1.0} for level in ("turn", "session")}
        for way in (*longmemeval.PLAIN, longmemeval.OURS)
    }
    unlabelled = task(entry() | {"haystack_session_ids": ["x", "y"]})
    result = tables([(item, marks), (unlabelled, marks)])

    assert (2, 1) == tuple(
        result[name]["Rememora"]["questions"] for name in ("by turn", "by turn, with a labelled turn")
    )
