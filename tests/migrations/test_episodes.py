"""The schema of summaries and episodes comes and goes with the data beneath it intact."""

from __future__ import annotations

from pathlib import Path

from tests.scenarios.test_episodes import ends
from tests.scenarios.test_summaries import chat_of, say

from rememora import Rememora, Settings
from rememora.moving import migrate

BEFORE = "0001"


async def test_down_and_up_again_makes_them_anew(tmp_path: Path) -> None:
    """Going back drops summaries and episodes alone; coming again, the old conversations get theirs."""
    settings = Settings.load({"store.url": str(tmp_path)}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await say(chat_of(rememora), 1, 34)
        await say(chat_of(rememora, "short"), 1, 3)
        await rememora.settle()
        messages = await chat_of(rememora).messages(limit=1000)
        record, summary = await chat_of(rememora).about(), await chat_of(rememora).summary()

    migrate(str(tmp_path), to=BEFORE)
    migrate(str(tmp_path))

    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = chat_of(rememora)
        before = (await chat.summary(), await ends(chat), (await chat.about()).folded, (await chat.about()).cut)
        await rememora.settle()
        again = await chat.summary()

        assert (None, [], 0, 0) == before
        assert messages == await chat.messages(limit=1000)
        assert record == await chat.about()
        assert summary is not None
        assert again is not None
        assert (summary.text, summary.covered, summary.last_seq) == (again.text, again.covered, again.last_seq)
        assert [10, 20, 30] == await ends(chat)
        assert (None, []) == (
            await chat_of(rememora, "short").summary(),
            await chat_of(rememora, "short").list_episodes(),
        )
