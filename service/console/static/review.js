// Keys of the review page. The page works without this script; what a key does stands in its attribute data-key.
"use strict";

const fields = "textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=hidden])";
const marked = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"]`);

function press(target) {
  if (target.tagName === "DETAILS") {
    target.open = !target.open;
  } else if (target.matches(fields)) {
    target.focus();
  } else if (target.matches("input[type=radio]")) {
    target.checked = true;
    target.focus();
    target.dispatchEvent(new Event("change", { bubbles: true }));
    if (target.form?.hasAttribute("data-quick")) target.form.requestSubmit();
  } else {
    target.click();
  }
}

function typing(event) {
  const within = event.target.closest(fields);
  if (!within) return false;
  if (event.key === "Escape") within.blur();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && within.form) {
    event.preventDefault();
    within.form.requestSubmit();
  }
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.repeat || typing(event)) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // a link, a button or a summary that has the focus does what Enter does everywhere
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const target = marked(event.key.length === 1 ? event.key.toLowerCase() : event.key);
  if (!target || target.matches(":disabled")) return;
  event.preventDefault();
  press(target);
});

// an error type belongs to a wrong answer: it makes an answer wrong, and is closed once the label is another
const form = document.querySelector("#label-form");
const errorTypes = document.querySelector("#error-types");
function fitErrorTypes() {
  const other = !["", "wrong"].includes(form.elements.label.value);
  // a list of radios takes no empty value
  if (other) document.querySelector("#error-none").checked = true;
  errorTypes.disabled = other;
}
form?.addEventListener("change", (event) => {
  if (event.target.name === "error_type" && event.target.value) form.elements.label.value = "wrong";
  if (event.target.name === "label") fitErrorTypes();
});

// what was typed survives a lost connection: a draft stays in this tab until the label is stored
const kept = ["label", "error_type", "note", "correction"];
const store = (() => {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
})();
const saved = document.querySelector("[data-saved]");
if (saved) store?.removeItem(`review ${saved.dataset.saved}`);
if (form && store) {
  const name = `review ${form.dataset.draft}`;
  const draft = form.hasAttribute("data-filled") ? null : JSON.parse(store.getItem(name) || "null");
  if (draft) for (const each of kept) form.elements[each].value = draft[each] || "";
  const keep = () => {
    const values = Object.fromEntries(kept.map((each) => [each, form.elements[each].value]));
    try {
      store.setItem(name, JSON.stringify(values));
    } catch {
      // a full store loses the draft, never the label
    }
  };
  form.addEventListener("input", keep);
  form.addEventListener("change", keep);
}
// after what was typed before is in the form again
if (form) fitErrorTypes();

// one press stores one label; who comes back to the page may send the form again
document.addEventListener("submit", (event) => {
  for (const button of event.target.querySelectorAll("button")) setTimeout(() => (button.disabled = true));
});
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[disabled]")) button.disabled = false;
  if (form) fitErrorTypes();
});

// a status that stands on the page from the start is not read aloud: it must change
const status = document.querySelector("#saved");
if (status?.textContent.trim()) {
  const words = status.textContent;
  status.textContent = "";
  setTimeout(() => (status.textContent = words), 100);
}
