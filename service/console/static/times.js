// Times in the zone of the reader. The page has them in UTC, which each says while it has the focus, or in its title.
"use strict";

const two = (number) => String(number).padStart(2, "0");

function zone(moment) {
  const ahead = -moment.getTimezoneOffset();
  const size = Math.abs(ahead);
  return `UTC${ahead < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

// the text in UTC tells the form: with or without the day, with or without seconds
function local(moment, utc) {
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} `;
  const seconds = /:\d\d:\d\d/.test(utc) ? `:${two(moment.getSeconds())}` : "";
  const clock = `${two(moment.getHours())}:${two(moment.getMinutes())}${seconds}`;
  return `${/^\d{4}-/.test(utc) ? day : ""}${clock} ${zone(moment)}`;
}

for (const element of document.querySelectorAll("time[datetime]")) {
  const utc = element.textContent;
  const moment = new Date(element.dateTime);
  if (!moment.getTimezoneOffset()) continue;
  const own = local(moment, utc);
  element.textContent = own;
  element.title = utc;
  // within a link, the link has the focus
  const focused = element.closest("a, button, summary") ?? element;
  if (focused === element) element.tabIndex = 0;
  focused.addEventListener("focus", () => (element.textContent = utc));
  focused.addEventListener("blur", () => (element.textContent = own));
}
