"""One active memory per key, whatever is done in whatever order."""

from __future__ import annotations

from typing import Any

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.clock import SetClock

from rememora import Settings, SyncRememora, SyncUserMemory
from rememora.errors import NotFound

KEYS = st.sampled_from(["user.name", "user.role_title", "prefs.format"])
VALUES = st.sampled_from(["padaria", "mercado", "oficina"])
USERS = st.sampled_from(["ana", "bia"])


class Knowing(RuleBasedStateMachine):
    """Two users of one tenant, and a dictionary that says what should be known of each."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = SetClock()
        settings = Settings.load({"store.url": ":memory:"}, environ={})
        self.rememora = SyncRememora.open(settings=settings, clock=self.clock, background=False)
        self.model: dict[tuple[str, str], str] = {}
        self.past: list[tuple[Any, dict[tuple[str, str], str]]] = []

    def teardown(self) -> None:
        self.rememora.close()

    def user(self, name: str) -> SyncUserMemory:
        return self.rememora.user(name, tenant="acme")

    def step(self) -> None:
        self.past.append((self.clock.now, dict(self.model)))
        self.clock.advance(1)

    @rule(user=USERS, key=KEYS, value=VALUES)
    def remember(self, user: str, key: str, value: str) -> None:
        self.user(user).remember(key, value)
        self.model[user, key] = value
        self.step()

    @rule(user=USERS, key=KEYS, value=VALUES)
    def correct(self, user: str, key: str, value: str) -> None:
        try:
            self.user(user).memories.correct(key, value)
            assert (user, key) in self.model
            self.model[user, key] = value
        except NotFound:
            assert (user, key) not in self.model
        self.step()

    @rule(user=USERS, key=KEYS)
    def forget(self, user: str, key: str) -> None:
        try:
            self.user(user).forget(key)
            del self.model[user, key]
        except NotFound:
            assert (user, key) not in self.model
        self.step()

    @rule(user=USERS, key=KEYS, choice=st.integers(0, 99))
    def restore_any_version(self, user: str, key: str, choice: int) -> None:
        versions = self.user(user).memories.list(prefix=key, status=None).items
        if versions:
            chosen = versions[choice % len(versions)]
            self.user(user).memories.restore(chosen.id)
            self.model[user, key] = chosen.value
            self.step()

    @rule(user=USERS, key=KEYS)
    def erase(self, user: str, key: str) -> None:
        self.user(user).erase(topic=key)
        self.model.pop((user, key), None)
        self.past = [
            (moment, {name: value for name, value in known.items() if name != (user, key)})
            for moment, known in self.past
        ]
        self.step()

    @invariant()
    def exactly_the_model_is_known(self) -> None:
        for user in ("ana", "bia"):
            known = {(user, memory.key): memory.value for memory in self.user(user).memories.list().items}

            assert {name: value for name, value in self.model.items() if name[0] == user} == known

    @invariant()
    def one_active_memory_per_key(self) -> None:
        for user in ("ana", "bia"):
            keys = [memory.key for memory in self.user(user).memories.list().items]

            assert sorted(set(keys)) == keys

    @invariant()
    def the_past_is_as_it_was(self) -> None:
        for moment, known in self.past[-3:]:
            then = {("ana", memory.key): memory.value for memory in self.user("ana").memories.as_of(moment)}

            assert {name: value for name, value in known.items() if name[0] == "ana"} == then

    @invariant()
    def the_chain_holds(self) -> None:
        assert self.rememora.tenant("acme", acting="boss").audit.verify().intact


TestKnowing = Knowing.TestCase
TestKnowing.settings = hypothesis_settings(max_examples=15, stateful_step_count=20, deadline=None)
