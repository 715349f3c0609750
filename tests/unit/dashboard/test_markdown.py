"""Markdown of answers: known marks become elements, everything else is text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.dashboard.markdown import to_html

TAGS = re.compile(r"<(/?)([a-z0-9]+)([^>]*)>")
KNOWN = {"p", "br", "strong", "em", "code", "pre", "ul", "ol", "li", "h3", "a"}


@looped(
    ("text", "expected"),
    [
        ("**forte** e *leve*", "<p><strong>forte</strong> e <em>leve</em></p>"),
        ("um\ndois\n\ntrês", "<p>um<br>dois</p>\n<p>três</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("1. a\n2) b", "<ol><li>a</li><li>b</li></ol>"),
        ("# Título", "<h3>Título</h3>"),
        ("`<b>` & c", "<p><code>&lt;b&gt;</code> &amp; c</p>"),
        (
            "[x](https://a.b/?q=1&r=2)",
            '<p><a href="https://a.b/?q=1&amp;r=2" rel="noopener noreferrer nofollow">x</a></p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("2 * 3 * 4 e snake_case", "<p>2 * 3 * 4 e snake_case</p>"),
        ("", ""),
    ],
)
def test_marks_become_elements(text: str, expected: str) -> None:
    """Bold, italic, code, lists, headings and links to the web."""
    assert expected == to_html(text)


def test_a_code_block_is_left_as_it_is() -> None:
    """Also one that never ends."""
    assert '<pre tabindex="0"><code>**a** &lt;b&gt;</code></pre>' == to_html("```py\n**a** <b>\n```")
    assert '<pre tabindex="0"><code>x</code></pre>' == to_html("```\nx")


@given(st.text(alphabet=st.sampled_from("ab <>\"'&*_`#-[]()!\n1.:/httpsjavcript"), max_size=80))
def test_no_markup_of_the_author_survives(text: str) -> None:
    """Every tag is one of ours, without an attribute but those we set."""
    for _, name, rest in TAGS.findall(to_html(text)):
        assert name in KNOWN
        assert (
            rest == ""
            or name == "pre"
            or (name == "a" and re.fullmatch(r' href="(https?:|mailto:)[^"]*" rel="[^"]*"', rest))
        )
