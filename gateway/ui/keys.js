// Tells the page which key was pressed. What is typed into a field stays in the browser.
document.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
    e.preventDefault();
    emitEvent("penwright-key", "palette");
    return;
  }
  // The field of a dialog that is fading out still has the focus; the key is for the page.
  const fading = e.target.closest(".q-dialog--seamless");
  const typing = !fading && e.target.closest("input, textarea, select, [contenteditable], .cm-editor");
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
