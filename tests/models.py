"""Language models of the tests: outside things, so they are stood in for, and they do just what they are told."""

from __future__ import annotations

import asyncio
import re


class Chronicler:
    """Answers with the previous summary and every `<n>` of the new messages, so that a double fold shows."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def complete(self, prompt: str, *, max_tokens: int, timeout: float) -> str:
        self.prompts.append(prompt)
        data = prompt[prompt.index("Previous summary:") :]
        return " ".join(re.findall(r"<\d+>", data)) or "nothing"


class Failing(Chronicler):
    """Fails while `broken`; `how` is raised, or hangs where it is None."""

    def __init__(self, how: BaseException | None) -> None:
        super().__init__()
        self.how = how
        self.broken = True

    async def complete(self, prompt: str, *, max_tokens: int, timeout: float) -> str:
        if not self.broken:
            return await super().complete(prompt, max_tokens=max_tokens, timeout=timeout)
        self.prompts.append(prompt)
        if self.how is None:
            await asyncio.sleep(3600)
        else:
            raise self.how
        return ""


class Mute:
    """Answers with nothing."""

    async def complete(self, prompt: str, *, max_tokens: int, timeout: float) -> str:
        return "  \n"
