// Tells the page which key was pressed. What is typed into a field stays in the browser.
document.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
    e.preventDefault();
    emitEvent("penwright-key", "palette");
    return;
  }
  const typing = e.target.closest("input, textarea, select, [contenteditable], .cm-editor");
  if (typing || e.ctrlKey || e.metaKey || e.altKey || e.key.length !== 1) return;
  if (document.querySelector(".q-dialog")) return;
  emitEvent("penwright-key", e.key);
});
