// Tells the page which key was pressed. What is typed into a field stays in the browser.
document.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
    e.preventDefault();
    emitEvent("penwright-key", "palette");
    return;
  }
  const typing = e.target.closest("input, textarea, select, [contenteditable], .cm-editor");
  if (typing || e.ctrlKey || e.metaKey || e.altKey || e.key.length !== 1) return;
  // A dialog that is closing is faded out; the key is for the page again.
  if (document.querySelector(".q-dialog--modal")) return;
  emitEvent("penwright-key", e.key);
});
