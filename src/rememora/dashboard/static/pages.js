// Small helps for every page: local dates, lost connections, and forms that are sent once.
"use strict";

document.documentElement.classList.add("scripted");

function localDates(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.valueOf())) {
      time.title = moment.toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
    }
  }
}

// On a phone a row of a table is a card: each cell says which column it belongs to.
function stackTables(root) {
  for (const table of root.querySelectorAll("table:not(.stacks, .narrow)")) {
    const heads = [...table.querySelectorAll("thead th")].map((each) => each.textContent);
    if (!heads.length) continue;
    table.classList.add("stacks");
    table.setAttribute("role", "table");
    for (const row of table.rows) {
      row.setAttribute("role", "row");
      [...row.cells].forEach((cell, place) => {
        cell.setAttribute("role", cell.tagName === "TH" ? "columnheader" : "cell");
        if (cell.tagName === "TH" || !cell.childNodes.length) return;
        cell.dataset.th = heads[place];
        const inside = document.createElement("div");
        inside.append(...cell.childNodes);
        cell.append(inside);
      });
    }
  }
}

function tellTrouble() {
  const trouble = document.getElementById("trouble");
  trouble.textContent = trouble.dataset.lost;
  trouble.hidden = false;
  setTimeout(() => { trouble.hidden = true; }, 6000);
}

document.addEventListener("DOMContentLoaded", () => {
  localDates(document);
  stackTables(document);
  const tab = document.querySelector(".tabs [aria-current]");
  if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 16;
});
document.addEventListener("htmx:load", (event) => { localDates(event.detail.elt); stackTables(event.detail.elt); });
document.addEventListener("htmx:sendError", tellTrouble);
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.hasAttribute("hx-post") || form.hasAttribute("hx-get") || form.method !== "post" || form.dataset.stays) return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "1";
  const button = form.dataset.busy && form.querySelector("button");
  if (button) { button.dataset.label = button.textContent; button.textContent = form.dataset.busy; button.setAttribute("aria-busy", "true"); }
  // A download leaves the page where it is: the form may be sent again.
  setTimeout(() => { delete form.dataset.sent; }, 4000);
});
// The first click of two may have changed what lies under the pointer: the second does nothing there.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("a, button")) { event.preventDefault(); event.stopPropagation(); }
}, true);
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll("[data-label]")) {
    button.textContent = button.dataset.label;
    button.removeAttribute("aria-busy");
  }
});

// A part of a page that the server tells of as it changes.
function follow(part) {
  const state = document.getElementById(`${part.id}-state`);
  const tell = (name) => { state.textContent = state.dataset[name]; state.dataset.state = name; };
  const source = new EventSource(part.dataset.live);
  source.addEventListener("open", () => tell("on"));
  source.addEventListener("error", () => tell("off"));
  let pressed = false;
  part.addEventListener("pointerdown", () => { pressed = true; });
  addEventListener("pointerup", () => setTimeout(() => { pressed = false; }));
  source.addEventListener("missions", (event) => {
    // A button that is being pressed stays where it is; the next change brings this one too.
    if (pressed) return;
    const held = part.contains(document.activeElement) ? document.activeElement.closest("article") : null;
    const focused = held && held.getAttribute("aria-labelledby");
    part.innerHTML = JSON.parse(event.data);
    localDates(part);
    const again = focused && part.querySelector(`[aria-labelledby="${CSS.escape(focused)}"] button`);
    if (again) again.focus();
  });
  source.addEventListener("ended", () => { source.close(); location.reload(); });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}
document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("[data-live]").forEach(follow));

// The day that a slider of days back stands for.
document.addEventListener("input", (event) => {
  const slider = event.target;
  if (!slider.dataset.day) return;
  const day = new Date(Date.now() - Number(slider.value) * 86400000);
  document.getElementById(slider.dataset.day).textContent = day.toLocaleDateString(document.documentElement.lang, { dateStyle: "long" });
});

// A file that was downloaded here before need not be opened and copied by hand.
document.addEventListener("change", async (event) => {
  const chosen = event.target;
  if (chosen.dataset.into && chosen.files.length) chosen.form.elements[chosen.dataset.into].value = await chosen.files[0].text();
});
