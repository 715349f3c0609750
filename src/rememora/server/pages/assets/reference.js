// Opens what an address names, finds operations by words, and sends the forms; keys stay in this tab.
"use strict";

const one = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) {
    named.open = true;
    named.scrollIntoView();
  }
}

function find() {
  const wanted = one("#find").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const operation of all(".operation")) {
    const words = operation.querySelector("summary").textContent.toLowerCase() + operation.id;
    operation.hidden = !wanted.every((word) => words.includes(word));
  }
  for (const section of all("main section")) {
    const operations = [...section.querySelectorAll(".operation")];
    section.hidden = wanted.length > 0 && operations.every((each) => each.hidden);
  }
}

function request(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value) query.append(input.name, input.value);
  }
  const headers = {};
  const given = { Authorization: one("#key").value.trim() && `Bearer ${one("#key").value.trim()}` };
  given["X-Rememora-User"] = encodeURIComponent(one("#user").value.trim());
  given["X-Rememora-Reason"] = encodeURIComponent(one("#reason").value.trim());
  for (const [name, value] of Object.entries(given)) if (value) headers[name] = value;
  const body = form.querySelector("textarea")?.value.trim() || undefined;
  if (body) headers["Content-Type"] = "application/json";
  return [query.size ? `${path}?${query}` : path, { method: form.dataset.method, headers, body }];
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form) {
  const shown = form.querySelector(".answer");
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const [address, options] = request(form);
    const answer = await fetch(address, options);
    shown.textContent = `${answer.status} ${answer.statusText}\n${readable(await answer.text())}`;
  } catch (error) {
    shown.textContent = String(error);
  } finally {
    shown.hidden = false;
    button.disabled = false;
  }
}

for (const each of all(".try")) each.hidden = false;
if (matchMedia("(max-width: 52rem)").matches) one("nav > details").open = false;
document.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target);
});
one("#find").addEventListener("input", find);
addEventListener("hashchange", openNamed);
openNamed();
