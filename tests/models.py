"""Language models of the tests: outside things, so they are stood in for, and they do just what they are told."""

from __future__ import annotations

import asyncio
import re


class Chronicler:
    """Answers with the previous summary and every `<n>` of the new messages, so that a double fold shows."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        self.prompts.append(instructions + text)
        return " ".join(re.findall(r"<\d+>", text)) or "nothing"


class Failing(Chronicler):
    """Fails while `broken`; `how` is raised, or hangs where it is None."""

    def __init__(self, how: BaseException | None) -> None:
        super().__init__()
        self.how = how
        self.broken = True

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        if not self.broken:
            return await super().complete(instructions=instructions, text=text, max_tokens=max_tokens)
        self.prompts.append(instructions + text)
        if self.how is None:
            await asyncio.sleep(3600)
        else:
            raise self.how
        return ""


class Mute:
    """Answers with nothing."""

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        return "  \n"
