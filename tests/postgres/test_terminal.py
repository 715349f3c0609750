"""The commands of an operator on PostgreSQL: migrate as the owner, and everything else as the application."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from tests.engines.postgres import APP
from tests.engines.process import free_port
from tests.migrations.test_migrations import HEAD
from tests.postgres.conftest import Place
from typer.testing import CliRunner

from rememora.cli import app


def run(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, [*words])
    assert 0 == done.exit_code, done.output
    return done.stdout


def test_migrate_says_what_it_did_and_no_password(own_place: Place) -> None:
    """Up and down; the URL is shown without its secret."""
    with_password = own_place.owner.replace("@", ":s3cret@", 1)
    shown = own_place.owner.replace("@", ":…@", 1)
    role = ("--role", APP)

    assert f"{shown} is at {HEAD} already.\n" == run("migrate", "--url", with_password, *role)
    assert {"before": HEAD, "after": "0008"} == json.loads(
        run("migrate", "--url", own_place.owner, "--to", "0008", "--json", *role)
    )
    assert f"{shown}: 0008 → {HEAD}\n" == run("migrate", "--url", with_password, *role)


def test_a_person_is_remembered_and_erased(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same commands as on a folder; the receipt says what the server keeps."""
    monkeypatch.chdir(place.folder)
    whose = ("--tenant", "acme", "--user", "ana", "--url", place.app)
    run("remember", "user.name", "Rosamunda", *whose)
    assert "Rosamunda" in run("memories", *whose)
    receipt = json.loads(run("erase", "person", "--yes", *whose))

    assert any("write-ahead log" in item for item in receipt["remains"])
    assert "Rosamunda" not in run("memories", *whose)


def test_the_doctor_looks_into_a_server(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens the store as a folder's, says when the signing key is anywhere, and names no password."""
    monkeypatch.chdir(place.folder)
    url = place.app.replace("@", ":s3cret@", 1)
    shown = run("doctor", "--url", url)

    assert "the store opens" in shown
    assert "store.key_folder" in shown
    assert "s3cret" not in shown


def test_the_doctor_finds_a_server_that_is_away() -> None:
    """Nobody there is a fault, not a store that is yet to be made."""
    url = f"postgresql://{APP}:s3cret@127.0.0.1:{free_port()}/rememora"
    done = CliRunner().invoke(app, ["doctor", "--url", url], env={"REMEMORA_STORE_CONNECT_SECONDS": "1"})

    assert 4 == done.exit_code
    assert "check that the server runs" in done.stdout
    assert "s3cret" not in done.stdout


def test_the_index_of_neighbours_of_a_store_without_vectors(
    own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is built for the vectors of the embedder that the settings name; without one the command says why not."""
    migrating = ("migrate", "--url", own_place.owner, "--role", APP, "--vectors")
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    refused = json.loads(run(*migrating, "--json"))
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "openai")
    monkeypatch.setenv("REMEMORA_RECALL_DIMENSION", "256")
    built = run(*migrating)
    with psycopg.connect(own_place.admin) as connection:
        rows = connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'vectors_near_%'").fetchall()

    assert "the store has no vectors yet" in refused["vectors"]
    assert "vectors of 256 numbers exists" in built
    assert [("vectors_near_256",)] == rows


def test_an_embedded_store_says_that_it_needs_no_order(tmp_path: Path) -> None:
    """The option is PostgreSQL's, and elsewhere it says so."""
    run("remember", "user.name", "Ana", "--tenant", "acme", "--user", "ana", "--url", str(tmp_path))

    assert "itself" in run("migrate", "--url", str(tmp_path), "--vectors")
