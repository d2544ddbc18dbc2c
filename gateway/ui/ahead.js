// What is typed while a page with an editor loads itself anew is caught by a field of its own, which the editor
// empties where its caret was (see editor/place).
{
  const kept = JSON.parse(sessionStorage.getItem("penwright-place") || "null");
  if (kept && kept.page === location.pathname + location.search && Date.now() < kept.at + 60_000) {
    const field = document.createElement("textarea");
    field.id = "penwright-ahead";
    field.setAttribute("aria-label", "Typed while the page loads");
    field.value = kept.ahead;
    document.body.append(field);
    field.focus({ preventScroll: true });
  }
}
