// What is typed from the moment the palette is asked for is for its field, which the server opens, and to which
// Quasar gives the focus only when the dialog has faded in.
const PALETTE_WITHIN_MS = 5_000;
const ahead = { until: 0, typed: "", entered: false };

function expectPalette() {
  Object.assign(ahead, { until: Date.now() + PALETTE_WITHIN_MS, typed: "", entered: false });
}

function takeAhead(e) {
  if (Date.now() > ahead.until || document.activeElement?.closest(".palette input")) return;
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "Escape") {
    ahead.until = 0; // Quasar closes the dialog.
    return;
  }
  if (e.key === "Enter") ahead.entered = true;
  else if (e.key === "Backspace") ahead.typed = ahead.typed.slice(0, -1);
  else if (e.key.length === 1) ahead.typed += e.key;
  else return;
  e.preventDefault();
  e.stopImmediatePropagation();
}

// More than once: a field that has just been drawn may be drawn again, as it was before.
function show(field, text, times) {
  if (!field.isConnected || times === 0) return;
  if (!field.value.startsWith(text)) {
    field.value = text.startsWith(field.value) ? text : text + field.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  setTimeout(() => show(field, text, times - 1), 100);
}

function giveAhead(e) {
  const field = e.target.closest(".palette input");
  if (!field || Date.now() > ahead.until) return;
  if (ahead.typed) show(field, field.value + ahead.typed, 3);
  if (ahead.entered) {
    // After the value, which Vue sends when this event is done.
    setTimeout(() => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
  }
  Object.assign(ahead, { typed: "", entered: false });
}

document.addEventListener("keydown", takeAhead, true);
document.addEventListener("focusin", giveAhead);
document.addEventListener("pointerdown", () => (ahead.until = 0));
document.addEventListener("click", (e) => e.target.closest("button.find") && expectPalette());

const FIELDS = "input, textarea, select, [contenteditable], .cm-editor";

// Tells the page which key was pressed. What is typed into a field stays in the browser.
document.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
    if (!document.querySelector("button.find")) return;
    e.preventDefault();
    expectPalette();
    emitEvent("penwright-key", "palette");
    return;
  }
  // The field of a dialog that is fading out still has the focus; the key is for the page.
  const fading = e.target.closest(".q-dialog--seamless");
  const typing = !fading && e.target.closest(FIELDS);
  if (typing || e.ctrlKey || e.metaKey || e.altKey || e.key.length !== 1) return;
  // A dialog that is closing is faded out; the key is for the page again.
  if (document.querySelector(".q-dialog--modal")) return;
  // At once, without the server: the letters that follow are for the field.
  const field = document.querySelector(`[data-key="${CSS.escape(e.key)}"] textarea`);
  if (field) {
    e.preventDefault();
    field.focus();
    return;
  }
  emitEvent("penwright-key", e.key);
});

// A thing that is drawn in place of another gets the keyboard, unless the reader types elsewhere by now.
function focusUnlessTyping(id) {
  if (!document.activeElement?.closest(FIELDS)) document.getElementById(id)?.focus({ preventScroll: true });
}
