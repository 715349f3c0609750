"""Texts that make a rule slow: no pattern may need more than linear work, and no text may stop the server."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.ambiguity import pump
from tests.attacks.counts import Probe
from tests.attacks.growth import grows
from tests.attacks.patterns import every_pattern, rule_lines
from tests.doors.conftest import Running, settings_of
from tests.looped import looped

from rememora.gate import judge
from rememora.knowledge import note

# Patterns for what an operator writes into the settings, not for anybody's text.
TRUSTED = ("settings/urls.py",)
ROOT = Path(__file__).parents[2]
LONGEST, DOUBLED = 65_536, 4_096
CPU_SECONDS = 240
PATIENCE = 60

SLOW = (
    r"#{2,} ?(?:system|sistema)\b",
    r"[\w.+-]+@[\w-]+",
    r"\b[\w.]+@",
    r"(?:goal|meta)[^.!?;]*$",
    r"(?<!\w)(?:ta|certo|ta certo)(?:[ ,]*(?:ta|certo|ta certo))*$",
    r"^(?:(?:sim|isso|isso mesmo|mesmo)[ ,.!]*)+$",
    r"^[^\x00]*\S[^\x00]*$",
    r"x(?=.*y)",
    r"a\s*\s*b",
    r"(a+)+b",
)
LINEAR = (
    r"(?<!#)#{2,}+ ?(?:system|sistema)\b",
    r"(?<![\w.+-])[\w.+-]++@[\w-]+",
    r"\b\w+@",
    r"(?:goal|meta)[^.!?;]{0,100}$",
    r"^(?:(?:sim|isso|isso mesmo|mesmo)[ ,.!]{0,4}){1,8}$",
    r"^\s*[^\s\x00][^\x00]*$",
    r"\w+",
    r"^(?:[ab]+c)*+d",
)


@looped("pattern", SLOW)
def test_the_check_finds_slow_patterns(pattern: str) -> None:
    """Patterns of which a text is known that makes them worse than linear are found out."""
    assert pump(pattern) is not None


@looped("pattern", LINEAR)
def test_the_check_lets_linear_patterns_pass(pattern: str) -> None:
    """What bounds, guards or possesses its repeats is linear."""
    assert pump(pattern) is None


def test_every_pattern_is_linear(probe: Probe) -> None:
    """No pattern of the package has a word whose repetition costs more than its length."""
    patterns = [item for item in every_pattern() if item.place not in TRUSTED]

    assert len(patterns) > 1000
    assert {item.place for item in patterns} > {
        "gate/rules/orders.toml",
        "reading/normalised.py",
        "language/words.py",
    }
    for pattern in patterns:
        word = pump(pattern.pattern, pattern.flags)
        probe(word is None, f"{pattern.place}: {pattern.pattern[:80]} on repeated {word!r}")


READERS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
from rememora.adapters.responder import _PIECES
from rememora.context.fence import clean
from rememora.gate import pointing, read_answer
from rememora.gate.judge import evaluate
from rememora.knowledge.answer_length import asks_shorter
from rememora.knowledge.mentions import mentions
from rememora.language import count_tokens, detect, split, tokens
from rememora.reading.parsed import parse_message
from tests.attacks.growth import grows

def short(read):
    return lambda text: read(parse_message(text[:2000]))

readers = [evaluate, mentions, clean, detect, count_tokens, asks_shorter, _PIECES.findall]
readers += [lambda text: list(split(text)), lambda text: list(tokens(text)), short(read_answer)]
readers += map(short, (pointing.bare_wish, pointing.silenced_topic, pointing.spoken_again, pointing.righted))
readers += [short(pointing.undoes)]
for unit in sys.stdin.read().split("\\0"):
    slow = [number for number, read in enumerate(readers) if grows(read, unit, {length})]
    print("slow", slow) if slow else print("read")
"""
UNITS = (
    *"#([{<*-_.,:;!?'\"`|/\\@&%$=+~^ \na1Aé",
    *(
        "# ",
        "a ",
        "A ",
        "1 ",
        "a.",
        "a-",
        "a_",
        "a'",
        "a@",
        "1.",
        "1,",
        "A&",
        "(a",
        "[a",
        "<a ",
        "\n ",
        "&#",
        "```",
    ),
    *(
        "no lo ",
        "access to ",
        "Ana, ",
        "R$ 1 ",
        "CAC 1 acima de 1 ",
        "meta ",
        "sair ",
        "ta certo, isso mesmo, ",
        "ok, agora ",
        "system ",
    ),
    *(
        "policy update ",
        "senha é ",
        "token+",
        "eyj---",
        "http://",
        "www.a",
        "<!--",
        "you must ",
        "i g n o r e ",
        "1gn0r3 ",
    ),
)


def check_readers(probe: Probe, length: int) -> None:
    """Read repeats of each unit in a process with a cap of CPU; twice the text may not be four times the work."""
    program = READERS.format(cpu=CPU_SECONDS, length=length)
    command, units = [sys.executable, "-c", program], "\0".join(UNITS)
    done = subprocess.run(command, input=units, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = done.stdout.splitlines()
    for number, unit in enumerate(UNITS):
        probe(number < len(lines) and lines[number] == "read", repr(unit))

    assert 0 == done.returncode, done.stderr[-500:]


def test_twice_a_long_text_is_twice_the_work_of_every_reader(probe: Probe) -> None:
    """Repeats of one unit, doubled from 2,048 to 4,096 characters."""
    check_readers(probe, DOUBLED)


@pytest.mark.slow
def test_the_longest_texts_of_one_repeated_unit_are_read_within_a_cap_of_cpu(probe: Probe) -> None:
    """Repeats of 65,536 characters, the longest that is judged."""
    check_readers(probe, LONGEST)


def own_units(pattern: str) -> list[str]:
    """What a pattern itself reads: its first sign, its first sign twice, its first words, each with a blank."""
    words = re.findall(r"[a-zà-ú]{2,}", pattern)[:3]
    signs = re.findall(r"(?<!\\)[#<>=!@*_~-]", pattern)[:1]
    return [*signs, *(f"{sign} " for sign in signs), *(f"{word} " for word in words), "".join(words)[:40] or "a"]


def test_twice_a_long_text_is_twice_the_work_of_each_rule(probe: Probe) -> None:
    """Each line of the gate's rules reads repeats of its own words and signs, doubled to 4,096 characters."""
    for rule in rule_lines():
        compiled = re.compile(rule.pattern, rule.flags)
        for unit in own_units(rule.pattern):
            slow = grows(compiled.search, unit, DOUBLED)
            probe(not slow, f"{rule.place}: {rule.pattern[:80]} on repeated {unit!r}")


@looped("pattern", [r"#{2,} ?(?:system|sistema)\b", r"(?:goal|meta)[^.!?;]*$"])
def test_doubling_finds_a_slow_rule(pattern: str) -> None:
    """The rule that once stopped a server, and another that reads to the end from every place."""
    compiled = re.compile(pattern)

    # Other work on the machine can hide how the time grows: one look of three that sees it is enough. A fast
    # machine reads a short text before anything is noticed.
    assert any(grows(compiled.search, unit, 4 * DOUBLED) for _ in range(3) for unit in own_units(pattern))


def test_health_answers_while_a_long_text_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text is judged in a thread of its own: the event loop answers others meanwhile."""
    begun, answered = threading.Event(), threading.Event()
    evaluate = judge.evaluate

    def slowly(*given: Any, **more: Any) -> Any:
        begun.set()
        assert answered.wait(PATIENCE)
        return evaluate(*given, **more)

    monkeypatch.setattr(note, "evaluate", slowly)
    running = Running(settings_of(tmp_path)).start()
    running.tenant("acme")
    ana = running.user()
    try:
        with ThreadPoolExecutor() as threads:
            judging = threads.submit(ana.post, "/judge", json={"text": "uma frase longa. " * 500})
            assert begun.wait(PATIENCE)
            alive = running.client().get("/health/live")
            answered.set()
            judged = judging.result(PATIENCE)
    finally:
        answered.set()
        running.stop()

    assert (200, 200) == (alive.status_code, judged.status_code)
