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

function tellTrouble() {
  const trouble = document.getElementById("trouble");
  trouble.textContent = trouble.dataset.lost;
  trouble.hidden = false;
  setTimeout(() => { trouble.hidden = true; }, 6000);
}

document.addEventListener("DOMContentLoaded", () => {
  localDates(document);
  const tab = document.querySelector(".tabs [aria-current]");
  if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 16;
});
document.addEventListener("htmx:load", (event) => localDates(event.detail.elt));
document.addEventListener("htmx:sendError", tellTrouble);
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.hasAttribute("hx-post") || form.hasAttribute("hx-get") || form.method !== "post" || form.dataset.stays) return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "1";
  // A download leaves the page where it is: the form may be sent again.
  setTimeout(() => { delete form.dataset.sent; }, 4000);
});
addEventListener("pageshow", () => { for (const form of document.forms) delete form.dataset.sent; });

// The day that a slider of days back stands for.
document.addEventListener("input", (event) => {
  const slider = event.target;
  if (!slider.dataset.day) return;
  const day = new Date(Date.now() - Number(slider.value) * 86400000);
  document.getElementById(slider.dataset.day).textContent = day.toISOString().slice(0, 10);
});
