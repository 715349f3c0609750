"""Damaged exports of other products are refused with a typed error or read as far as they are whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rememora.adapters import exports
from rememora.errors import InvalidInput
from rememora.knowledge.export import FORMAT, VERSION, read_document

SAID = {"id": "m1", "author": {"role": "user"}, "content": {"parts": ["Oi"]}}


def texts(file: Path, form: exports.Form) -> list[str]:
    """The messages of a file."""
    return [
        message["content"]
        for conversation in exports.conversations(file, form, read=lambda _: None)
        for message in conversation.messages
    ]


@pytest.mark.parametrize(
    ("form", "item", "expected"),
    [
        ("chatgpt", {"mapping": []}, []),
        ("chatgpt", {"mapping": {"a": None, "b": {"message": SAID}}, "current_node": "b"}, ["Oi"]),
        ("chatgpt", {"mapping": {"a": {"message": {**SAID, "metadata": 7}}}}, ["Oi"]),
        ("chatgpt", {"mapping": {"a": {"message": {**SAID, "author": "user"}}}}, []),
        ("chatgpt", {"mapping": {"a": {"message": {**SAID, "author": {"role": ["user"]}}}}}, []),
        ("chatgpt", {"mapping": {"a": {"message": {**SAID, "content": {"parts": 3}}}}}, []),
        ("claude", {"chat_messages": 7}, []),
        ("claude", {"chat_messages": [None, {"sender": "human", "text": "Oi", "files": 1}]}, ["Oi"]),
        (
            "claude",
            {"chat_messages": [{"sender": "human", "content": [1, {"type": "text", "text": "Oi"}]}]},
            ["Oi"],
        ),
        ("claude", {"chat_messages": [{"sender": "human", "content": [{"type": "image", "text": "x"}]}]}, []),
        ("messages", {"role": {}, "content": "Oi"}, []),
    ],
)
def test_what_is_whole_is_read(tmp_path: Path, form: exports.Form, item: Any, expected: list[str]) -> None:
    """A value of another kind than the product writes counts as missing."""
    file = tmp_path / "export.json"
    file.write_text(json.dumps([item]), encoding="utf-8")

    assert expected == texts(file, form)


@pytest.mark.parametrize(
    ("form", "raw"),
    [
        ("chatgpt", b'[{"title": "\xff"}]'),
        ("claude", b"[" * 100_000),
        ("messages", b'[{"role": "user"'),
        ("jsonl", b'{"role": "us\xb7er"}'),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, form: exports.Form, raw: bytes) -> None:
    """The error names the file."""
    file = tmp_path / "export.json"
    file.write_bytes(raw)

    with pytest.raises(InvalidInput, match="file"):
        texts(file, form)


def test_half_a_pair_in_a_document_of_ours_is_refused() -> None:
    """Text that cannot be stored is no text."""
    with pytest.raises(InvalidInput, match="document"):
        read_document({"format": FORMAT, "version": VERSION, "memories": ["\ud800"]})
