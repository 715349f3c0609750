"""Settings: a wrong value is refused with its field, its value and what is allowed; three sources, one order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest
from msgspec import Meta
from tests.looped import looped

from rememora import Settings
from rememora.errors import SettingsError
from rememora.settings import ALIASES, SECRETS, SummarySettings, all_settings, allowed, env_name
from rememora.settings.urls import as_owner, without_password

HOST_NAMES = {
    "AGENT_SUMMARIZATION_ENABLED": ("false", "layers", "summarization", False),
    "AGENT_SUMMARIZATION_THRESHOLD": ("33", "summary", "threshold", 33),
    "AGENT_SUMMARIZATION_KEEP_RECENT": ("7", "summary", "keep_recent", 7),
    "AGENT_SUMMARIZATION_MAX_TOKENS": ("250", "summary", "max_tokens", 250),
    "AGENT_CROSS_THREAD_MAX_RESULTS": ("4", "context", "related", 4),
    "AGENT_VECTOR_STORE_ENABLED": ("0", "layers", "vector_store", False),
    "AGENT_ENTITY_MEMORY_ENABLED": ("false", "layers", "entity_memory", False),
    "AGENT_CROSS_THREAD_ENABLED": ("false", "layers", "cross_thread", False),
    "AGENT_RAG_TOP_K": ("9", "recall", "limit", 9),
    "AGENT_RAG_MIN_SIMILARITY": ("0.35", "recall", "min_similarity", 0.35),
    "AGENT_ENTITY_MAX_PER_USER": ("120", "entities", "max_per_user", 120),
    "OWNER_EPISODE_THRESHOLD": ("12", "episodes", "threshold", 12),
    "WMI_DELETE_DELAY": ("5000", "missions", "delete_delay_seconds", 5.0),
}


def wrong_values(kind: Any) -> list[object]:
    """Values just outside what a setting's type and range allow."""
    plain, *rest = get_args(kind)
    limits = next((item for item in rest if isinstance(item, Meta)), Meta())
    if get_origin(plain) is Literal:
        return ["", "other", 1, None]
    if plain is bool:
        return ["maybe", 2, None]
    if plain is str:
        return ["", 1, None] if limits.min_length or limits.pattern else [1, None]
    low = limits.gt if limits.ge is None else limits.ge - 1
    high = None if limits.le is None else limits.le + 1
    edges = [edge for edge in (low, high) if edge is not None]
    return [*edges, "many", None, True, math.nan, math.inf]


WRONG = [(path, value) for path, kind in all_settings().items() for value in wrong_values(kind)]


@looped(("path", "value"), WRONG)
def test_a_wrong_value_in_code_is_refused(path: str, value: object) -> None:
    """The error names the field, shows the value, and says what is allowed."""
    with pytest.raises(SettingsError) as refusal:
        Settings.load({path: value}, environ={})

    assert path == refusal.value.field
    assert refusal.value.value == "…" if path in SECRETS and value else value is refusal.value.value
    assert allowed(all_settings()[path]) == refusal.value.allowed
    assert path in str(refusal.value)


# To the environment everything is text, so a number where text is wanted is not wrong there.
SPELT = [
    (path, value) for path, value in WRONG if value is not None and get_args(all_settings()[path])[0] is not str
]


@looped(("path", "value"), SPELT)
def test_a_wrong_value_in_the_environment_is_refused(path: str, value: object) -> None:
    """Whatever the environment spells wrongly is refused as in code."""
    spelt = "" if value is True else str(value)
    with pytest.raises(SettingsError) as refusal:
        Settings.load(environ={env_name(path): spelt})

    assert (path, allowed(all_settings()[path])) == (refusal.value.field, refusal.value.allowed)


@looped(("path", "value"), [item for item in WRONG if item[1] is not None])
def test_a_wrong_value_in_a_file_is_refused(path: str, value: object, tmp_path: Path) -> None:
    """Whatever a file spells wrongly is refused as in code."""
    section, _, name = path.partition(".")
    file = tmp_path / "wrong.toml"
    file.write_bytes(f"[{section}]\n{name} = ".encode() + _toml(value))

    with pytest.raises(SettingsError) as refusal:
        Settings.load(environ={}, file=file)

    assert (path, allowed(all_settings()[path])) == (refusal.value.field, refusal.value.allowed)


def test_a_section_made_by_hand_is_checked() -> None:
    """There is no way around: a section refuses when it is made, and a stranger in its place is refused."""
    with pytest.raises(SettingsError) as refusal:
        SummarySettings(threshold=4)

    assert ("summary.threshold", 4, "a whole number from 5 to 100") == (
        refusal.value.field,
        refusal.value.value,
        refusal.value.allowed,
    )

    stranger: Any = {"threshold": 4}
    with pytest.raises(SettingsError, match="summary"):
        Settings(summary=stranger)


def test_code_outweighs_environment_outweighs_file(tmp_path: Path) -> None:
    """Each source fills in only what the stronger ones leave open."""
    file = tmp_path / "rememora.toml"
    file.write_text("[summary]\nthreshold = 11\nkeep_recent = 11\nmax_tokens = 111\n")
    environ = {"REMEMORA_SUMMARY_THRESHOLD": "22", "REMEMORA_SUMMARY_KEEP_RECENT": "22"}

    summary = Settings.load({"summary.threshold": 33}, environ=environ, file=file).summary

    assert (33, 22, 111) == (summary.threshold, summary.keep_recent, summary.max_tokens)


def test_the_file_can_be_named_by_the_environment(tmp_path: Path) -> None:
    """REMEMORA_FILE says where; a file that is named must be there."""
    file = tmp_path / "other.toml"
    file.write_text("[window]\nturns = 7\n")

    assert 7 == Settings.load(environ={"REMEMORA_FILE": str(file)}).window.turns

    with pytest.raises(SettingsError) as refusal:
        Settings.load(environ={"REMEMORA_FILE": str(tmp_path / "absent.toml")})

    assert "file" == refusal.value.field


def test_the_file_beside_us_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name, `rememora.toml` of the working folder is read where there is one."""
    monkeypatch.chdir(tmp_path)

    assert 20 == Settings.load(environ={}).window.turns

    (tmp_path / "rememora.toml").write_text("[window]\nturns = 7\n")

    assert 7 == Settings.load(environ={}).window.turns


@pytest.mark.parametrize("content", [b"[window\n", b"\xff\xfe", b"turns 7"])
def test_a_file_that_is_no_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    """The error names the file."""
    file = tmp_path / "rememora.toml"
    file.write_bytes(content)

    with pytest.raises(SettingsError) as refusal:
        Settings.load(environ={}, file=file)

    assert ("file", str(file)) == (refusal.value.field, refusal.value.value)


@looped("alias", HOST_NAMES)
def test_names_that_hosts_use(alias: str) -> None:
    """A host's variable sets our setting; our own name outweighs it; a wrong value names our field."""
    text, section, field, value = HOST_NAMES[alias]
    path = f"{section}.{field}"

    assert value == getattr(getattr(Settings.load(environ={alias: text}), section), field)

    default = getattr(getattr(Settings(), section), field)
    both = Settings.load(environ={alias: text, env_name(path): str(default).lower()})

    assert default == getattr(getattr(both, section), field)

    with pytest.raises(SettingsError) as refusal:
        Settings.load(environ={alias: "several"})

    assert (path, "several") == (refusal.value.field, refusal.value.value)


def test_every_host_name_is_proven_here() -> None:
    """An alias added without a case above fails this test."""
    assert set(HOST_NAMES) == set(ALIASES)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("summary.treshold", "summary.threshold"),
        ("summry.threshold", "summary.threshold"),
        ("store.ur", "store.url"),
    ],
)
def test_an_unknown_name_is_refused_with_a_suggestion(given: str, meant: str, tmp_path: Path) -> None:
    """A typing mistake is told, not passed over: in code, in the environment, in a file."""
    section, _, name = given.partition(".")
    file = tmp_path / "rememora.toml"
    file.write_text(f"[{section}]\n{name} = 30\n")

    with pytest.raises(SettingsError, match=meant):
        Settings.load({given: 30}, environ={})
    with pytest.raises(SettingsError, match=meant):
        Settings.load({section: {name: 30}}, environ={})
    with pytest.raises(SettingsError, match=meant):
        Settings.load(environ={}, file=file)
    with pytest.raises(SettingsError, match=env_name(meant)):
        Settings.load(environ={env_name(given): "30"})


@pytest.mark.parametrize("name", ["REMEMORA_LOG", "REMEMORA_HOME_TEST", "REMEMORA_TEST_POSTGRES"])
def test_a_variable_like_no_setting_is_warned_about(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """A platform may set variables of its own under our prefix: they stop nothing, and are named."""
    settings = Settings.load(environ={name: "1"})

    assert Settings() == settings
    assert name in caplog.text
    assert "1" not in caplog.messages[0].replace(name, "")


@pytest.mark.parametrize("name", ["REMEMORA_STORE_PATH", "REMEMORA_SUMARY_THRESHOLD", "REMEMORA_SERVER_PORTS"])
def test_a_variable_nearly_a_setting_is_refused(name: str) -> None:
    """What was surely meant for us must not be without effect."""
    with pytest.raises(SettingsError, match="no such setting"):
        Settings.load(environ={name: "1"})


def test_the_terminals_defaults_have_short_names() -> None:
    """REMEMORA_TENANT and REMEMORA_USER say whose memory a command is about."""
    settings = Settings.load(environ={"REMEMORA_TENANT": "acme", "REMEMORA_USER": "ana"})

    assert ("acme", "ana") == (settings.terminal.tenant, settings.terminal.user)


def test_other_peoples_variables_are_left_alone() -> None:
    """Only our prefix and the hosts' names are ours to judge."""
    assert Settings() == Settings.load(environ={"AGENT_NAME": "x", "PATH": "/bin", "SUMMARY_THRESHOLD": "1"})


def test_settings_are_frozen() -> None:
    """What is in force cannot be changed in passing."""
    with pytest.raises(AttributeError):
        delattr(Settings(), "store")
    with pytest.raises(AttributeError):
        delattr(Settings().summary, "threshold")


def test_defaults_are_within_their_own_ranges() -> None:
    """Every default passes the check it stands for, and every setting says what it is for."""
    for path, kind in all_settings().items():
        section, _, name = path.partition(".")
        msgspec.convert(getattr(getattr(Settings(), section), name), kind)

        assert any(isinstance(item, Meta) and item.description for item in get_args(kind))


def _toml(value: object) -> bytes:
    if isinstance(value, bool):
        return str(value).lower().encode()
    return (f'"{value}"' if isinstance(value, str) else str(value)).encode()


def test_a_secret_under_a_misspelt_name_is_not_shown() -> None:
    """The refusal names the setting that was meant, not what was to be put there."""
    with pytest.raises(SettingsError) as refusal:
        Settings.load({"model.api_kye": "sk-oculta"}, environ={})

    assert "model.api_key" in str(refusal.value)
    assert "sk-oculta" not in str(refusal.value)


def test_a_folder_is_no_settings_file(tmp_path: Path) -> None:
    """What cannot be read as a file is refused like any other wrong value."""
    with pytest.raises(SettingsError) as refusal:
        Settings.load(file=tmp_path, environ={})

    assert "file" == refusal.value.field


@pytest.mark.parametrize(
    ("url", "shown", "owners"),
    [
        ("postgresql://ana:s3@cret@db/x", "postgresql://ana:…@db/x", "postgresql://OWNER@db/x"),
        ("postgresql://ana@db:5432/x", "postgresql://ana@db:5432/x", "postgresql://OWNER@db:5432/x"),
        (
            "postgresql://db/x?password=s3cret&a=b",
            "postgresql://db/x?password=…&a=b",
            "postgresql://OWNER@db/x?password=…&a=b",
        ),
        ("rememora-data", "rememora-data", "rememora-data"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str, owners: str) -> None:
    """Wherever it may appear: in errors, in commands to run, in a listing of settings."""
    assert (shown, owners) == (without_password(url), as_owner(url))
    assert "s3" not in repr(Settings.load({"store.url": url}, environ={}).store)
