"""Summaries and episodes in SQL."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rememora.adapters.sql.columns import RowDecoder, of_conversation, of_person, to_micros
from rememora.adapters.sql.erasing import erase_history
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.episode import Episode, Summary
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason


class SqlSummaries(Repository):
    """One rolling summary per conversation, in SQL."""

    def all(self, scope: Scope) -> list[Summary]:
        rows = self._tx.all("summaries_of_user", of_person(scope))
        return [_summary.of(scope, row) for row in rows]

    def get(self, scope: Scope) -> Summary | None:
        return self._find("summary", of_conversation(scope), lambda row: _summary.of(scope, row))

    def replace(self, scope: Scope, summary: Summary, *, after_seq: int) -> bool:
        columns = {
            "text": summary.text,
            "tokens": summary.tokens,
            "covered": summary.covered,
            "last_seq": summary.last_seq,
            "created_at": to_micros(summary.created_at),
            "updated_at": to_micros(summary.updated_at),
            "after_seq": after_seq,
            "hidden": summary.hidden,
        }
        return self._tx.run("replace_summary", {**of_conversation(scope), **columns}) == 1

    def hide(self, scope: Scope, hidden: Reason | None) -> None:
        self._tx.send("hide_summary", {**of_conversation(scope), "hidden": hidden})

    def rewrite(self, scope: Scope, summary: Summary) -> bool:
        said = {"text": summary.text, "tokens": summary.tokens, "hidden": summary.hidden}
        return (
            self._tx.run("rewrite_summary", {**of_conversation(scope), **said, "last_seq": summary.last_seq}) == 1
        )

    def remove(self, scope: Scope) -> int:
        return self._tx.run("remove_summary", of_conversation(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        return erase_history(self._tx, scope, plan, one="remove_summary", every="erase_summaries")


class SqlEpisodes(Repository):
    """Stretches of turns, in SQL."""

    def add(self, scope: Scope, episode: Episode, *, summarised: bool = True) -> bool:
        columns = {
            "id": episode.id,
            "turns": episode.turns,
            "first_seq": episode.first_seq,
            "last_seq": episode.last_seq,
            "title": episode.title,
            "summary": episode.summary,
            "told": int(summarised),
            "created_at": to_micros(episode.created_at),
            "hidden": episode.hidden,
        }
        return self._tx.run("add_episode", {**of_conversation(scope), **columns}) == 1

    def add_all(self, scope: Scope, episodes: Sequence[Episode], *, summarised: bool = True) -> list[Episode]:
        if not episodes:
            return []
        rows = [
            {**msgspec.structs.asdict(episode), "created_at": to_micros(episode.created_at)}
            for episode in episodes
        ]
        many = {"told": int(summarised), "episodes": msgspec.json.encode(rows).decode()}
        new = {row[0] for row in self._tx.all("add_episodes", {**of_conversation(scope), **many})}
        return [episode for episode in episodes if episode.id in new]

    def tell(self, scope: Scope, episode: Episode) -> bool:
        columns = {
            "turns": episode.turns,
            "id": episode.id,
            "title": episode.title,
            "summary": episode.summary,
            "hidden": episode.hidden,
        }
        return self._tx.run("tell_episode", {**of_conversation(scope), **columns}) == 1

    def newest(self, scope: Scope, *, limit: int) -> list[Episode]:
        name = "newest_episodes_of_user" if scope.conversation is None else "newest_episodes"
        return [episode_of(scope, row) for row in self._tx.all(name, {**of_conversation(scope), "limit": limit})]

    def withhold(self, scope: Scope, seq: int) -> list[str]:
        rows = self._tx.all("withhold_episodes", {**of_conversation(scope), "seq": seq})
        return [row[0] for row in rows]

    def withheld(self, scope: Scope) -> list[Episode]:
        return [episode_of(scope, row) for row in self._tx.all("episodes_withheld", of_conversation(scope))]

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        self._tx.send("hide_episode", {**of_conversation(scope), "id": id, "hidden": hidden})

    def remove(self, scope: Scope) -> int:
        return self._tx.run("remove_episodes", of_conversation(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        return erase_history(self._tx, scope, plan, one="remove_episodes", every="erase_episodes")


_summary = RowDecoder(Summary, "conversation text tokens covered last_seq created_at updated_at hidden")
_episode = RowDecoder(Episode, "conversation id turns first_seq last_seq title summary created_at hidden")


def episode_of(scope: Scope, row: Row) -> Episode:
    """The episode of a row, whose it is."""
    return _episode.of(scope, row)
