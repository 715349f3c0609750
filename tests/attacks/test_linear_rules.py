"""Texts that make a rule slow: no pattern may need more than linear work, and no text may stop the server."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.ambiguity import pump
from tests.attacks.counts import Probe
from tests.attacks.patterns import every_pattern
from tests.doors.conftest import Running, settings_of
from tests.looped import looped

from rememora.gate import judge
from rememora.knowledge import note

# Patterns for what an operator writes into the settings, not for anybody's text.
TRUSTED = ("settings/urls.py",)
LENGTH = 65_536
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
    patterns = [each for each in every_pattern() if each.place not in TRUSTED]

    assert len(patterns) > 1200
    assert {each.place for each in patterns} > {"gate/rules/orders.toml", "gate/normalise.py", "language/words.py"}
    for each in patterns:
        word = pump(each.pattern, each.flags)
        probe(word is None, f"{each.place}: {each.pattern[:80]} on repeated {word!r}")


READERS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
from rememora.adapters.responder import _PIECES
from rememora.context.fence import clean
from rememora.gate import pointing, read_answer
from rememora.gate.judge import evaluate
from rememora.knowledge.patterns import asks_shorter
from rememora.knowledge.mentions import mentions
from rememora.language import count_tokens, detect, split, tokens

for unit in sys.stdin.read().split("\\0"):
    text = (unit * {length})[:{length}]
    evaluate(text)
    mentions(text)
    clean(text)
    detect(text)
    count_tokens(text)
    list(split(text))
    list(tokens(text))
    asks_shorter(text)
    read_answer(text[:2000])
    _PIECES.findall(text)
    reads = pointing.bare_wish, pointing.silenced_topic, pointing.spoken_again, pointing.righted, pointing.undoes
    for read in reads:
        read(text[:2000])
    print("read")
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


def test_long_texts_of_one_repeated_unit_are_read_within_a_cap_of_cpu(probe: Probe) -> None:
    """Repeats of 65,536 characters cost seconds together; one quadratic rule would take most of the cap alone."""
    program = READERS.format(cpu=CPU_SECONDS, length=LENGTH)
    done = subprocess.run(
        [sys.executable, "-c", program], input="\0".join(UNITS), capture_output=True, text=True, check=False
    )
    told = done.stdout.splitlines()
    for number, unit in enumerate(UNITS):
        probe(number < len(told), repr(unit))

    assert 0 == done.returncode, done.stderr[-500:]


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
