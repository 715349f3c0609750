"""The Python of mem0's README and cookbooks, run as it stands over `rememora.compat.mem0`, with a scripted model.

Run by `tools/run_suites.py` in a checkout of mem0. Pages that use its hosted platform, or other products than an
OpenAI client, are not among them.
"""

from __future__ import annotations

import builtins
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rememora import Settings
from rememora.compat import mem0

BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
SAID = ("I prefer window seats on morning flights.", "Which seats do I prefer?", "exit", "q")
ANSWER = "Here is what I would do."
PAGES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "README.md": ((0,), (f"AI: {ANSWER}", "Goodbye!")),
    "docs/cookbooks/companions/ai-tutor.mdx": ((0, 1), (ANSWER, "I am learning introduction to CS")),
    "docs/cookbooks/companions/travel-assistant.mdx": (
        (0,),
        (ANSWER, "- I prefer window seats on morning flights"),
    ),
    # That an order has not arrived is nothing to know for good: the gate keeps no memory of it.
    "docs/cookbooks/operations/support-inbox.mdx": ((0, 1), (ANSWER,)),
    "docs/cookbooks/operations/team-task-agent.mdx": (
        (0, 1),
        (ANSWER, "[alice] Let's list tasks for the new landing page.", "=== carol ==="),
    ),
}
"""Which blocks of a page make one program (of two variants the newer one), and what it prints."""


class Scripted(types.SimpleNamespace):
    """An OpenAI client that answers everything with one sentence, whole or in pieces."""

    def __init__(self, **_: Any) -> None:
        super().__init__(chat=self, completions=self, responses=self)

    def create(self, *, stream: bool = False, **query: Any) -> Any:
        """Answer a chat completion or a response."""
        text = ANSWER
        message = types.SimpleNamespace(content=text)
        part = types.SimpleNamespace(content=[types.SimpleNamespace(text=text)])
        event = types.SimpleNamespace(type="response.output_text.delta", delta=text)
        event.choices = [types.SimpleNamespace(delta=message)]
        whole = types.SimpleNamespace(
            choices=[types.SimpleNamespace(message=message)], output=[part], output_text=text
        )
        return iter([event]) if stream else whole


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[mem0.Memory]]:
    """Put our `Memory` in the place of mem0's, a scripted model in that of OpenAI's, and type what is `SAID`."""
    made: list[mem0.Memory] = []
    settings = Settings.load({"store.url": str(tmp_path / "store"), "recall.embedder": "none"}, environ={})

    class Memory(mem0.Memory):
        def __init__(self, config: Any = None, **how: Any) -> None:
            super().__init__(config, **{"settings": settings, **how})
            made.append(self)

        @classmethod
        def from_config(cls, config_dict: Any = None, **how: Any) -> Any:
            return super().from_config(config_dict, **{"settings": settings, **how})

    said = iter(SAID)
    modules: dict[str, dict[str, Any]] = {
        "mem0": {"Memory": Memory, "AsyncMemory": mem0.AsyncMemory},
        "openai": {"OpenAI": Scripted},
    }
    for name, members in modules.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(builtins, "input", lambda _="": next(said))
    yield made
    for item in made:
        item.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs(page: str, opened: list[mem0.Memory], capsys: pytest.CaptureFixture[str]) -> None:
    """Without an error, and it prints what it remembers."""
    numbers, expected = PAGES[page]
    blocks = BLOCK.findall(Path(page).read_text(encoding="utf-8"))
    program = "\n".join(blocks[number] for number in numbers)
    exec(compile(program, page, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out

    assert opened
    assert not [text for text in expected if text not in printed]
