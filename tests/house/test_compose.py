"""`compose.yaml`, checked without Docker: its services fit together, and what they are told has an effect."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from tests.house.source import ROOT
from typer.main import get_command

from rememora import Settings
from rememora.cli import app

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
WAITS = {"service_healthy": "healthcheck", "service_completed_successfully": "command"}


def settings_of(service: str) -> Settings:
    """The settings of a service, from its environment alone; an unknown one is refused."""
    reply = SERVICES[service].get("environment", {})
    return Settings.load(
        {}, environ={name: value for name, value in reply.items() if name.startswith("REMEMORA_")}
    )


def test_ours_are_built_from_the_recipe() -> None:
    """The server, and the one step before it; the image's own command and check serve both."""
    assert ["migrate", "rememora"] == OURS
    assert all((ROOT / SERVICES[name]["build"] / "Dockerfile").is_file() for name in OURS)
    assert not {"entrypoint", "healthcheck", "user"} & {key for name in OURS for key in SERVICES[name]}


def test_the_server_speaks_to_the_engines_beside_it() -> None:
    """Under the names and ports of the services, as the role that owns nothing; its key outlives it."""
    settings = settings_of("rememora")
    url = re.fullmatch(r"postgresql://(\w+)@(\w+)/rememora", settings.store.url)
    volume, _, folder = SERVICES["rememora"]["volumes"][0].partition(":")

    assert url is not None
    assert ("rememora_app", "postgres") == url.groups()
    assert "redis://redis:6379/0" == settings.redis.url
    assert {"postgres", "redis"} <= {*SERVICES}
    assert (folder, True) == (settings.store.key_folder, volume in COMPOSE["volumes"])
    assert [f"127.0.0.1:{settings.server.port}:{settings.server.port}"] == SERVICES["rememora"]["ports"]


def test_the_step_before_it_is_a_command() -> None:
    """`migrate` as the owner, with options that it has, for the role that the server uses."""
    name, *words = SERVICES["migrate"]["command"]
    root = get_command(app)
    command = root.get_command(None, name)  # type: ignore[attr-defined]
    known = {option for param in command.params for option in param.opts}

    assert {*words[::2]} <= known
    assert "postgresql://rememora_owner@postgres/rememora" == words[words.index("--url") + 1]
    assert "rememora_app" == words[words.index("--role") + 1]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_for_what_is_there(name: str) -> None:
    """What it depends on is a service that can reach the state waited for; what it mounts is declared."""
    for other, expected in SERVICES[name].get("depends_on", {}).items():
        assert WAITS[expected["condition"]] in SERVICES[other]
    for mounted in SERVICES[name].get("volumes", []):
        assert mounted.partition(":")[0] in COMPOSE["volumes"]
    assert {item["source"] for item in SERVICES[name].get("configs", [])} <= {*COMPOSE["configs"]}


def test_nothing_is_open_and_no_secret_is_written_down() -> None:
    """Ports on loopback alone, passwords from the environment, the server without rights it does not need."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    secrets = re.findall(r"PASSWORD: (\S+)|PASSWORD '([^']+)'", text)

    assert all(port.startswith("127.0.0.1:") for value in SERVICES.values() for port in value.get("ports", []))
    assert len(secrets) >= 5
    assert all((one or other).startswith("${") for one, other in secrets)
    server = SERVICES["rememora"]
    assert (True, ["ALL"], ["no-new-privileges:true"]) == (
        server["read_only"],
        server["cap_drop"],
        server["security_opt"],
    )
