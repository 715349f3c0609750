"""Known from the first hello: the profile a form hands over, under any of its names."""

from __future__ import annotations

from typing import Any

import pytest

from rememora import Profile, Rememora, UserMemory
from rememora.domain.profile import ALIASES, KEYS
from rememora.errors import InvalidInput
from rememora.knowledge.profile import Seeded

WHOLE = Profile(
    name="Ana",
    preferred_language="pt-BR",
    timezone="America/Sao_Paulo",
    locale="pt_BR",
    role_title="diretora",
    communication_style="direta",
    company="Padaria Sol",
    segment="alimentação",
    business_model="varejo",
    primary_goals=("abrir filial", "vender online"),
    no_emojis=True,
    no_tech_terms=False,
    short_answers=True,
    channels_enabled=("whatsapp", "email"),
)


async def test_a_whole_profile_is_known_under_its_keys(ana: UserMemory) -> None:
    """Every field is remembered: the person's own as personal, the company's as shared."""
    await ana.profile.seed(WHOLE)
    memories = (await ana.memories.list()).items
    shared = {memory.key for memory in memories if memory.scope == "tenant_shared"}

    assert WHOLE.values() == {memory.key: memory.value for memory in memories}
    assert {"tenant.name", "tenant.segment", "tenant.business_model", "tenant.primary_goals"} == shared
    assert {("profile_seed", "onboarding")} == {(memory.source, memory.source_ref) for memory in memories}


async def test_seeding_twice_changes_nothing(rememora: Rememora, ana: UserMemory) -> None:
    """The second time there is no new memory, no new entry and no new event."""
    await ana.profile.seed(WHOLE)
    tenant = rememora.tenant("acme", acting="boss")
    before = (await ana.memories.list(status=None)).items, await tenant.audit.list(), await tenant.events.list()

    assert Seeded() == await ana.profile.seed(WHOLE, ref="profile")
    assert before == (
        (await ana.memories.list(status=None)).items,
        await tenant.audit.list(),
        await tenant.events.list(),
    )


async def test_seeding_again_does_not_undo_what_the_person_changed(ana: UserMemory) -> None:
    """A correction and a wish to forget outlive the next saving of the same profile; a new value does count."""
    form = {"nome": "Ana", "cargo": "gerente"}
    await ana.profile.seed(form)
    await ana.memories.correct("user.name", "Ana Maria")
    await ana.forget("user.role_title")

    assert Seeded() == await ana.profile.seed(form, ref="profile")
    assert {"user.name": "Ana Maria"} == {memory.key: memory.value for memory in (await ana.memories.list()).items}
    await ana.profile.seed({"nome": "Ana Souza", "cargo": "diretora"}, ref="profile")
    assert ["Ana Souza", "diretora"] == [memory.value for memory in (await ana.memories.list()).items]


async def test_a_changed_field_takes_the_old_ones_place(rememora: Rememora, ana: UserMemory) -> None:
    """Only what changed is written, and told by its key alone."""
    await ana.profile.seed(WHOLE)
    await ana.profile.seed({"nome": "Ana Maria", "empresa": "Padaria Sol"}, ref="profile")
    seeded = (await rememora.tenant("acme", acting="boss").events.list(types=["memory.seeded"]))[-1]

    assert "Ana Maria" == (await ana.memories.get("user.name")).value
    assert ["Ana"] == [memory.value for memory in (await ana.memories.list(status="deprecated")).items]
    assert {"ref": "profile", "changed": ["user.name"], "unchanged": 1} == seeded.payload


@pytest.mark.parametrize(
    ("form", "key", "value"),
    [
        ({"Nome Completo": "Ana"}, "user.name", "Ana"),
        ({"fullName": "Ana"}, "user.name", "Ana"),
        ({"full_name": " Ana "}, "user.name", "Ana"),
        ({"FULL_NAME": "Ana"}, "user.name", "Ana"),
        ({"NOME": "Ana"}, "user.name", "Ana"),
        ({"Nome:": "Ana"}, "user.name", "Ana"),
        ({"nome": " Ana", "name": "Ana "}, "user.name", "Ana"),
        ({"Razão Social": "Padaria Sol"}, "tenant.name", "Padaria Sol"),
        ({"canais": "chat, voz", "channels": ["chat", "voz"]}, "prefs.channels_enabled", ["chat", "voz"]),
        ({"idioma": "pt-BR"}, "user.preferred_language", "pt-BR"),
        ({"Fuso horário": "America/Recife"}, "user.timezone", "America/Recife"),
        ({"função": "gerente"}, "user.role_title", "gerente"),
        ({"job-title": "gerente"}, "user.role_title", "gerente"),
        ({"razão": "x"}, None, None),
        ({"Empresa": "Sol"}, "tenant.name", "Sol"),
        ({"área de atuação": "varejo"}, "tenant.segment", "varejo"),
        ({"objetivos": ["crescer"]}, "tenant.primary_goals", ["crescer"]),
        ({"sem emojis": "sim"}, "prefs.no_emojis", True),
        ({"prefs.short_answers": "não"}, "prefs.short_answers", False),
        ({"canais": "whatsapp, email"}, "prefs.channels_enabled", ["whatsapp", "email"]),
    ],
)
async def test_forms_in_both_languages_are_understood(
    ana: UserMemory, form: dict[str, Any], key: str | None, value: object
) -> None:
    """A field is known by the names that onboarding forms give it; an unknown one is an error with its name."""
    if key is None:
        with pytest.raises(InvalidInput) as refused:
            await ana.profile.seed(form)
        assert next(iter(form)) == refused.value.field
        return
    await ana.profile.seed(form)

    assert value == (await ana.memories.get(key)).value


@pytest.mark.parametrize("form", [{"name": 3}, {"sem emojis": "talvez"}, {"nome": "Ana", "name": "Bia"}])
async def test_a_form_that_makes_no_sense_is_refused_whole(ana: UserMemory, form: dict[str, Any]) -> None:
    """A wrong type or two answers to one field write nothing."""
    with pytest.raises(InvalidInput):
        await ana.profile.seed(form)

    assert () == (await ana.memories.list()).items


async def test_empty_fields_leave_things_as_they_were(ana: UserMemory) -> None:
    """A form that leaves a field open forgets nothing."""
    await ana.profile.seed(WHOLE)

    assert Seeded() == await ana.profile.seed({"nome": "", "empresa": None, "canais": ""})
    assert "Ana" == (await ana.memories.get("user.name")).value


async def test_sensitive_data_is_not_seeded(ana: UserMemory) -> None:
    """The gate judges a profile like anything else."""
    await ana.profile.seed({"nome": "Ana, CPF 529.982.247-25"})

    assert () == (await ana.memories.list()).items


def test_no_name_stands_for_two_fields() -> None:
    """Every alias means one field, and every field has a key."""
    names = [name for aliases in ALIASES.values() for name in aliases]

    assert sorted(set(names)) == sorted(names)
    assert set(ALIASES) == set(KEYS) == set(Profile.__struct_fields__)
