// The chat: sends a turn, shows the answer as it comes, and the finished turn as the server renders it.
"use strict";

const form = document.getElementById("say");
const talk = document.getElementById("talk");
const field = form?.elements.text;
const failed = document.getElementById("failed");
const temporary = Boolean(form?.dataset.temporary);
const apart = [];

function bubble(role, text) {
  const item = document.createElement("li");
  item.className = role;
  const who = document.createElement("p");
  who.className = "who";
  who.textContent = role === "user" ? talk.dataset.you : talk.dataset.it;
  const said = document.createElement("p");
  said.className = "said";
  said.textContent = text;
  item.append(who, said);
  talk.append(item);
  item.scrollIntoView({ block: "nearest" });
  return { item, said };
}

function finish(place, rendered) {
  // Rendered by this server, where every word of a person or a model was escaped.
  const whole = document.createElement("div");
  whole.innerHTML = rendered;
  place.said.replaceWith(whole);
  htmx.process(whole);
  show(place.item);
}

// The whole answer above the field; of one that is taller than the window, its beginning.
function show(item) {
  item.scrollIntoView({ block: item.offsetHeight > innerHeight - form.offsetHeight ? "start" : "nearest" });
}

function fail(text) {
  failed.textContent = text;
  failed.hidden = false;
}

async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [name, data] = block.split("\n");
      yield [name.slice("event: ".length), JSON.parse(data.slice("data: ".length))];
    }
  }
}

async function stream(fields, place) {
  const headers = { Accept: "text/event-stream", "HX-Request": "true" };
  const response = await fetch(form.action, { method: "POST", body: fields, headers });
  if (!response.ok) { finish(place, await response.text()); return; }
  let begun = false, ended = false;
  for await (const [name, value] of eventsOf(response)) {
    if (name === "piece") {
      place.said.textContent = (begun ? place.said.textContent : "") + value;
      begun = true;
    } else {
      // The turn is whole: the next one need not wait until the connection is closed.
      finish(place, value);
      ended = true;
      break;
    }
  }
  if (!ended) throw new TypeError("the stream broke off");
  history.replaceState(null, "", `?conversation=${encodeURIComponent(fields.get("conversation"))}`);
}

async function sendApart(fields, place, text) {
  fields.set("said", JSON.stringify(apart));
  const response = await fetch(form.action, { method: "POST", body: fields, headers: { "HX-Request": "true" } });
  if (!response.ok) { finish(place, await response.text()); return; }
  const answer = await response.json();
  apart.push({ role: "user", content: text }, { role: "assistant", content: answer.text });
  finish(place, answer.html);
}

async function send() {
  const text = field.value.trim();
  const button = document.getElementById("send");
  if (!text || button.disabled) return;
  button.disabled = true;
  failed.hidden = true;
  document.getElementById("nothing")?.remove();
  const fields = new URLSearchParams(new FormData(form));
  fields.set("text", text);
  // The same turn, however often a broken connection has it sent.
  fields.set("key", form.dataset.key ??= crypto.randomUUID());
  const asked = bubble("user", text);
  const place = bubble("assistant", talk.dataset.writing);
  field.value = "";
  try {
    await (temporary ? sendApart(fields, place, text) : stream(fields, place));
    delete form.dataset.key;
    form.elements.modality.value = "chat";
  } catch {
    asked.item.remove();
    place.item.remove();
    field.value = text;
    fail(failed.dataset.lost);
  }
  button.disabled = false;
  field.focus();
}

function listen(Recognition) {
  const speak = document.getElementById("speak");
  const recognition = new Recognition();
  recognition.lang = speak.dataset.lang;
  recognition.onresult = (event) => {
    field.value = event.results[0][0].transcript;
    form.elements.modality.value = "voice";
    field.focus();
  };
  const label = speak.textContent;
  let listening = false;
  const hear = (now) => {
    listening = now;
    speak.setAttribute("aria-pressed", String(now));
    speak.textContent = now ? speak.dataset.listening : label;
  };
  recognition.onerror = (event) => { if (event.error !== "aborted") fail(failed.dataset.unheard); };
  recognition.onend = () => hear(false);
  speak.hidden = false;
  speak.addEventListener("click", () => {
    failed.hidden = true;
    if (listening) { recognition.stop(); return; }
    hear(true);
    recognition.start();
  });
}

if (form) {
  // A conversation that goes on is opened at its end.
  if (talk.lastElementChild && !location.hash) talk.lastElementChild.scrollIntoView({ block: "end" });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
  });
  const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
  if (Recognition && !temporary) listen(Recognition);
}
