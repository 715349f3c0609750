"""What a server held before visibility was decided at writing: hidden until the application judges it."""

from __future__ import annotations

from tests.behind import behind
from tests.engines.postgres import APP
from tests.migrations.before_visibility import BEFORE, CANARIES, ENTRIES, EXPECTED, filled, judged, settings_of
from tests.postgres.conftest import Place

from rememora import Rememora
from rememora.moving import migrate
from rememora.testing import WordEmbedder


async def test_the_application_judges_what_is_stored(own_place: Place) -> None:
    """The owner moves the schema and reads nobody's rows; the worker of the application does the rest."""
    settings = settings_of(own_place.app)
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        await filled(rememora)
    migrate(own_place.owner, to=BEFORE, role=APP)
    for statement in ENTRIES:
        behind(own_place.app, statement)
    migrate(own_place.owner, role=APP)
    waiting, before, after, reasons = await judged(settings)

    assert [] == [canary for canary in CANARIES if canary in before + after]
    assert {"unjudged", "erased"} == {*waiting.values()}
    assert EXPECTED == reasons
