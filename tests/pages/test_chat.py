"""The chat in a real browser: streamed turns, what they change, why they were answered so, and temporary talks."""

from __future__ import annotations

import httpx
import msgspec
from playwright.sync_api import Page, Route, expect
from tests.pages.conftest import TENANT, Site
from tests.pages.reading import MARKUP, Language, text
from tests.pages.test_looks import findings

from rememora.dashboard.visitor import COOKIE, csrf_of

HEARING = """
let times = 0;
window.SpeechRecognition = class {
  start() {
    times += 1;
    if (times === 1) this.onerror({ error: "not-allowed" });
    else this.onresult({ results: [[{ transcript: "Moro em Recife." }]] });
    this.onend();
  }
};
"""
"""Stands for the browser's own hearing, which no test machine has: nothing at first, then a sentence."""


def send(page: Page, words: str) -> None:
    """Say something, and wait for the whole turn."""
    before = page.locator("#talk li.assistant details").count()
    page.fill("textarea[name=text]", words)
    page.keyboard.press("Enter")
    expect(page.locator("#talk li.assistant details")).to_have_count(before + 1)


def test_a_turn_shows_what_it_kept_with_undo(site: Site, language: Language) -> None:
    """Kept, corrected and asked appear in the turn; undo takes it back; the address leads back to the talk."""
    name = f"chat-{language}"
    with site.visit(name, language=language) as page:
        page.goto(f"{site.address}/chat")
        expect(page.locator("#nothing")).to_contain_text(text(language, "chat.empty"))
        send(page, "Moro em Recife.")
        kept = page.locator(".deed .memory", has_text="Recife")
        expect(kept.first).to_be_visible()
        send(page, "Isso está errado, moro em Olinda.")
        expect(page.locator(".deed", has_text=text(language, "chat.did_corrected"))).to_contain_text("Recife")
        page.locator(".deed .change ~ form").get_by_role("button", name=text(language, "undo")).click()
        expect(page.locator("#talk")).to_contain_text(text(language, "done.restored"))
        assert ["Recife"] == [item.value for item in site.run(site.user(name).memories.list(prefix="user")).items]

        send(page, "Onde eu moro?")
        why = page.locator("#talk li.assistant").last.locator("details")
        why.locator("summary").click()
        expect(why).to_contain_text(text(language, "chat.used"))
        expect(why.locator("li a").first).to_contain_text("Recife")
        expect(why.locator("pre")).to_contain_text("Recife")
        expect(why).to_contain_text("tokens")
        expect(why).to_contain_text(text(language, "chat.left_out"))

        send(page, "acho que talvez eu goste de azul")
        question = page.locator("#talk form.ask")
        # The answer has asked it already: above the buttons it is only read out.
        expect(question.locator("p.question")).to_have_class("question hidden")
        question.get_by_role("button", name=text(language, "ask.no")).click()
        expect(page.locator("#talk")).to_contain_text(text(language, "ask.said_no_save"))

        page.reload()
        expect(page.locator("#talk > li")).to_have_count(8)
        # What the turns did to memory is still beside them, with a way to take it back.
        assert "Recife" in page.locator(".deed").first.inner_text()
        expect(page.locator(".deed").first.get_by_role("button", name=text(language, "do.forget"))).to_be_visible()
        page.get_by_role("link", name=text(language, "chat.new")).click()
        expect(page.locator("#talk > li")).to_have_count(0)
        page.go_back()
        expect(page.locator("#talk > li")).to_have_count(8)


def test_an_answer_comes_in_pieces(site: Site) -> None:
    """Words are sent as the model says them; the whole turn, with what it did, is the last event."""
    site.say("pieces", "Moro em Recife.")
    link = site.link("pieces")
    sent = {"csrf": csrf_of(link), "text": "Onde eu moro?", "conversation": "c1"}
    headers = {"Accept": "text/event-stream", "HX-Request": "true"}
    where = f"{site.address}/chat/say"
    with httpx.stream("POST", where, data=sent, cookies={COOKIE: link}, headers=headers, timeout=30) as answer:
        lines = [line for line in answer.iter_lines() if line]
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    pieces = [msgspec.json.decode(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    assert names[:-1] == ["piece"] * (len(names) - 1)
    assert len(names) > 2
    assert "Recife" in "".join(pieces[:-1])
    assert "<details" in pieces[-1]


def test_a_turn_shows_everything_that_it_ended(site: Site, language: Language) -> None:
    """Also a memory that a change was put behind; it is remembered again as it was from there."""
    name = f"ended-{language}"
    with site.visit(name, language=language) as page:
        page.goto(f"{site.address}/chat")
        for words in ("Moro em Curitiba.", "Trabalho numa clínica no Batel, em Curitiba."):
            send(page, words)
        send(page, "Mudei pra Florianópolis e saí da clínica do Batel.")
        changed = page.locator(".deed", has_text="Trabalho numa clínica")
        expect(changed.locator(".changes").first).to_contain_text("saí da clínica")
        changed.get_by_role("button", name=text(language, "undo")).last.click()
        expect(page.locator("#talk")).to_contain_text(text(language, "done.restored"))
    values = [memory.value for memory in site.run(site.user(name).memories.list()).items]
    assert "Trabalho numa clínica no Batel, em Curitiba" in values


def test_a_temporary_talk_leaves_nothing(site: Site, language: Language) -> None:
    """It answers from what is remembered, and afterwards the store is as it was."""
    name = f"apart-{language}"
    site.say(name, "Moro em Recife.")
    site.run(site.running.rememora.settle())
    before = site.run(site.user(name).archive.export())
    with site.visit(name, language=language) as page:
        page.goto(f"{site.address}/chat?temporary=1")
        send(page, "Onde eu moro?")
        expect(page.locator("#talk li.assistant").last).to_contain_text("Recife")
        send(page, "Guarda que o contador é o Paulo.")
        page.reload()
        expect(page.locator("#talk > li")).to_have_count(0)
    site.run(site.running.rememora.settle())
    after = site.run(site.user(name).archive.export())
    assert {**before, "exported_at": ""} == {**after, "exported_at": ""}


def test_a_spoken_turn_is_marked_as_voice(site: Site, language: Language) -> None:
    """Heard words are written into the field and sent as voice; hearing nothing is said so."""
    name = f"voice-{language}"
    with site.visit(name, language=language) as page:
        page.add_init_script(HEARING)
        page.goto(f"{site.address}/chat")
        speak = page.locator("#speak")
        speak.click()
        expect(page.locator("#failed")).to_have_text(text(language, "chat.unheard"))
        expect(speak).to_have_text(text(language, "chat.speak"))
        speak.click()
        expect(page.locator("#failed")).to_be_hidden()
        expect(page.locator("textarea[name=text]")).to_have_value("Moro em Recife.")
        page.keyboard.press("Enter")
        expect(page.locator(".deed .memory", has_text="Recife").first).to_be_visible()
        page.reload()
        expect(page.locator("#talk > li.user .who")).to_contain_text(text(language, "channel.voice"))
    talk = site.run(site.user(name).conversations.list()).items[0]
    said = site.run(site.user(name).conversation(talk.id).messages()).items
    assert "voice" == said[0].modality


def test_a_lost_connection_loses_no_word_and_doubles_none(site: Site) -> None:
    """Broken off before the end, the message is back in the field; sent again it is the same turn."""
    lost = ["first"]

    def once(route: Route) -> None:
        if lost:
            lost.clear()
            # The server does its part, and the browser never hears of it.
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    with site.visit("lost", expected=("ERR_CONNECTION_RESET", "Failed to load resource")) as page:
        page.goto(f"{site.address}/chat")
        page.route("**/chat/say", once)
        page.fill("textarea[name=text]", "Moro em Natal.")
        page.keyboard.press("Enter")
        expect(page.locator("#failed")).to_have_text(text("pt", "chat.lost"))
        expect(page.locator("textarea[name=text]")).to_have_value("Moro em Natal.")
        page.click("#send")
        expect(page.locator("#talk li.assistant details")).to_have_count(1)
    (talk,) = site.run(site.user("lost").conversations.list()).items
    assert 2 == talk.messages


def test_answers_are_rendered_safely(site: Site) -> None:
    """Markup of a person or a model stays text: streamed, reloaded and quoted."""
    with site.visit("safe") as page:
        page.goto(f"{site.address}/chat")
        send(page, f"Guarda que o meu lema é **força** {MARKUP}")
        send(page, "Qual é o meu lema?")
        page.reload()
        expect(page.locator("#talk > li")).to_have_count(4)
        assert "owned" != page.title()
        assert 0 == page.locator("#talk img, #talk script").count()


def test_without_a_script_a_turn_is_a_form(site: Site) -> None:
    """The same form answers with the page of the conversation; a read-only link may not speak."""
    for read_only, expected in ((False, 303), (True, 403)):
        link = site.link("plain", read_only=read_only)
        answer = httpx.post(
            f"{site.address}/chat/say",
            data={"csrf": csrf_of(link), "text": "Moro em Recife.", "conversation": "plain"},
            cookies={COOKIE: link},
            timeout=30,
        )

        assert expected == answer.status_code
    assert ("Recife",) == tuple(memory.value for memory in site.run(site.user("plain").memories.list()).items)
    assert TENANT == site.user("plain").scope.tenant


def test_a_stream_that_breaks_halfway_is_told(site: Site) -> None:
    """Pieces came, the end did not: what was said is back in the field, and sent again it is answered whole."""
    halves = ['event: piece\ndata: "Você mor"\n\n']

    def half(route: Route) -> None:
        if halves:
            route.fulfill(status=200, content_type="text/event-stream", body=halves.pop())
        else:
            route.continue_()

    with site.visit("half") as page:
        page.goto(f"{site.address}/chat")
        page.route("**/chat/say", half)
        page.fill("textarea[name=text]", "Moro em Natal.")
        page.keyboard.press("Enter")
        expect(page.locator("#failed")).to_have_text(text("pt", "chat.lost"))
        expect(page.locator("textarea[name=text]")).to_have_value("Moro em Natal.")
        page.click("#send")
        expect(page.locator("#talk li.assistant details")).to_have_count(1)
        expect(page.locator("#talk > li")).to_have_count(2)
    (talk,) = site.run(site.user("half").conversations.list()).items
    assert 2 == talk.messages


def test_an_old_answer_shows_its_context_rebuilt(site: Site, axe: str, language: Language) -> None:
    """Said to be rebuilt, made only when it is asked for, and without what was forgotten since."""
    name, width = f"old-{language}", 360 if language == "pt" else 1280
    site.say(name, "Moro em Recife.", f"Gosto de {MARKUP}", "Onde eu moro?", conversation="c9")
    with site.visit(name, language=language, width=width) as page:
        texts: list[str] = []
        page.on("request", lambda item: texts.append(item.url))
        page.goto(f"{site.address}/chat?conversation=c9")
        why = page.locator("#talk li.assistant").last.locator("details")
        expect(why.locator("pre")).to_have_count(0)
        assert not any("/chat/why" in item for item in texts)
        for _ in range(3):
            why.locator("summary").click()
        expect(why.locator(".note")).to_have_text(text(language, "chat.rebuilt"))
        expect(why.locator("pre")).to_contain_text("Recife")
        assert 1 == len([item for item in texts if "/chat/why" in item])
        assert [] == findings(page, axe)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert "owned" != page.title()

        where = next(item for item in texts if "/chat/why" in item)
        (home,) = [item for item in site.run(site.user(name).memories.list()).items if "Recife" in str(item.value)]
        site.run(site.user(name).forget(home.id))
        page.goto(where)
        expect(page.locator("h1")).to_have_text(text(language, "do.why"))
        expect(page.locator("pre")).not_to_contain_text("Recife")


def test_the_context_of_a_talk_is_its_persons_own(site: Site) -> None:
    """Another person is told that there is nothing; so is whoever names no answer."""
    site.say("dona", "Moro em Recife.", conversation="c9")
    answer = site.run(site.user("dona").conversation("c9").messages()).items[-1].id
    codes = []
    for name, message in (("dona", answer), ("vizinho", answer), ("dona", "nothing")):
        with httpx.Client(base_url=site.address, cookies={COOKIE: site.link(name)}, timeout=30) as client:
            response = client.get("/chat/why", params={"conversation": "c9", "message": message})
            codes.append((response.status_code, "Recife" in response.text))

    assert [(200, True), (404, False), (404, False)] == codes


def test_a_question_about_forgetting_is_answered_as_such(site: Site, language: Language) -> None:
    """Its buttons name what it asks about, choosing one forgets that one, and a second answer is told."""
    name = f"chat-forget-{language}"
    person = site.user(name)
    site.run(person.remember("projects.aurora.deadline", "30 de março"))
    site.run(person.remember("projects.boreal.deadline", "2 de abril"))
    with site.visit(name, language=language) as page:
        page.goto(f"{site.address}/chat")
        send(page, "Esquece o prazo do projeto")
        question = page.locator("#talk form.ask")
        expect(question.get_by_role("button", name=text(language, "ask.no_which"))).to_be_visible()
        other = page.context.new_page()
        other.goto(f"{site.address}/me")
        expect(other.locator("form.ask .choose button")).to_have_count(2)
        question.locator(".choose button", has_text="30 de março").click()
        expect(page.locator("#talk .ask")).to_contain_text(text(language, "done.forgotten"))
        expect(page.locator("#talk .ask .memory")).to_contain_text(text(language, "badge.forgotten"))
        other.locator(".choose button").first.click()
        expect(other.locator(".ask")).to_contain_text(text(language, "ask.before"))

    assert ["2 de abril"] == [memory.value for memory in site.run(person.memories.list(prefix="projects")).items]


def test_an_answer_stands_above_the_field(site: Site) -> None:
    """On a phone the newest answer is in sight when it has come, and when its conversation is opened again."""
    with site.visit("chat-scroll", width=360) as page:
        page.goto(f"{site.address}/chat")
        for _ in range(6):
            send(page, "bom dia")
        for _ in range(2):
            answer = page.locator("#talk > li").last.bounding_box()
            field = page.locator("#say").bounding_box()
            assert answer is not None
            assert field is not None
            assert 0 <= answer["y"]
            assert answer["y"] + answer["height"] <= field["y"]
            page.goto(page.url)
