"""A broken package of an engine is named, and the next candidate taken; an engine is never missing in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engines import choose, postgres
from tests.engines.choose import Candidate, Choice, Probed, on_path, program
from tests.engines.mongo import mongo_choice, probe_mongo
from tests.engines.postgres import Server, probe_postgres
from tests.engines.redis import probe_redis, redis_choice

DIES_OF_SIGILL = "#!/bin/sh\nkill -ILL $$\n"
ENDS = "#!/bin/sh\nexit 3\n"


def script(path: Path, text: str) -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o755)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_an_engine_that_dies_of_a_signal_is_named_and_the_next_one_taken(tmp_path: Path) -> None:
    """Whoever reads the first lines of a run knows which package is broken, why, and what is used instead."""
    good = redis_choice()
    broken = script(tmp_path / "valkey-server", DIES_OF_SIGILL)
    candidates = [Candidate("one", "1.0", broken), Candidate("another", "2.0", program(good))]

    choice = choose.choose("Redis", candidates, probe_redis, Probed(tmp_path / "probed.json"))

    assert str(program(good)) == choice.program
    assert [
        "Redis: one 1.0 is broken on this machine (did not start: killed by SIGILL)",
        "Redis: using another 2.0",
    ] == choice.lines()


@pytest.mark.parametrize(
    ("probe", "name"), [(probe_redis, "valkey-server"), (probe_mongo, "mongod"), (probe_postgres, "bin/initdb")]
)
def test_every_probe_notices_a_program_that_does_not_run(
    probe: Callable[[Path], str], name: str, tmp_path: Path
) -> None:
    """By its signal, by its exit status, and where it is no program at all."""
    folder, _, last = name.rpartition("/")
    made = [script(tmp_path / how / name, text) for how, text in (("died", DIES_OF_SIGILL), ("ended", ENDS))]

    died, ended = (probe(item.parent if folder else item) for item in made)
    absent = probe(tmp_path / "none" / (folder or last))

    assert "SIGILL" in died
    assert "exit status 3" in ended
    assert "No such file" in absent


def test_a_postgres_whose_sessions_die_names_the_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that answers, until one statement kills its session: so dies a pgvector for another processor."""
    killed = "COPY (SELECT 1) TO PROGRAM 'kill -ILL $PPID'"
    monkeypatch.setattr(postgres, "PROBE", ("SELECT 1", killed))

    assert "pgvector: signal 4: Illegal instruction" == probe_postgres(postgres.chosen_programs())


def test_results_are_kept_where_one_works(tmp_path: Path) -> None:
    """The second run on a machine starts nothing; where none works, each run tries again."""
    probed = Probed(tmp_path / "probed.json")
    bad, good = Candidate("bad", "1", Path("/bad")), Candidate("good", "1", Path("/good"))
    paths: list[Path] = []

    def probe(path: Path) -> str:
        paths.append(path)
        return "" if path == good.program else "no"

    first = choose.choose("Engine", [bad, good], probe, probed)
    again = choose.choose("Engine", [bad, good], probe, probed)
    newer = choose.choose("Engine", [bad, Candidate("good", "2", good.program)], probe, probed)
    none = [choose.choose("Other", [bad], probe, probed) for _ in range(2)]

    assert first == again
    assert "good 2" == newer.source
    assert [bad.program, good.program, good.program, bad.program, bad.program] == paths
    assert {("", ("bad 1 is broken on this machine (no)",))} == {(item.program, item.broken) for item in none}


def test_a_missing_engine_fails_in_continuous_integration(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is skipped elsewhere, with its reason."""
    missing = Choice("Engine", broken=("one 1 is broken on this machine (SIGILL)",))

    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no Engine works here: one 1 is broken"):
        program(missing)
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no Engine works here"):
        program(missing)
    assert ["Engine: one 1 is broken on this machine (SIGILL)", "Engine: MISSING"] == missing.lines()


def test_the_machine_s_own_programs_are_candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found on the path, and probed anew when the file changes."""
    monkeypatch.setenv("PATH", str(tmp_path))
    server = script(tmp_path / "redis-server", ENDS)
    before = on_path("redis-server", "valkey-server")
    script(server, DIES_OF_SIGILL)
    after = on_path("redis-server", "valkey-server")

    assert [server] == [item.program for item in before] == [item.program for item in after]
    assert before != after
    assert on_path("mongod") == []


def test_the_engines_of_this_run_work() -> None:
    """Those that the wheels bring, on whatever processor this is."""
    server = Server()
    server.remove()

    assert "" == probe_redis(program(redis_choice()))
    assert "" == probe_mongo(program(mongo_choice()))
