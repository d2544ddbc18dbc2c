// Where the caret stood when a page was left that loads itself anew, and what was typed until it is there again.
const KEPT = "penwright-place";
const CONTEXT = 60;

const page = () => location.pathname + location.search;
const field = () => document.getElementById("penwright-ahead");

// Keeps the place of an editor that has the focus, as its page goes; of one that never came, what was typed for it.
export function leave(view) {
  const early = field();
  const before = JSON.parse(sessionStorage.getItem(KEPT) || "null");
  sessionStorage.removeItem(KEPT);
  if (early && before) return keep({ ...before, ahead: early.value });
  if (!view || !view.hasFocus) return;
  const { anchor, head } = view.state.selection.main;
  const shown = view.coordsAtPos(head);
  const context = view.state.sliceDoc(Math.max(0, head - CONTEXT), head);
  keep({ anchor, head, context, top: shown ? Math.max(0, shown.top) : null, ahead: "" });
}

function keep(place) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ ...place, page: page(), at: Date.now() }));
  } catch {
    // A browser that keeps nothing: the caret begins at the top.
  }
}

// The place that was kept for this page, in `text` as it is now; null if there is none. Empties the field.
export function found(text) {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) || "null");
  const early = field();
  if (!early || !kept) return null;
  sessionStorage.removeItem(KEPT);
  const focused = document.activeElement === early;
  const ahead = early.value;
  early.remove();
  const moved = nearest(text, kept.context, kept.head) - kept.head;
  const within = (at) => Math.max(0, Math.min(at + moved, text.length));
  return { anchor: within(kept.anchor), head: within(kept.head), top: kept.top, ahead, focused };
}

// The end of the `context` in `text` that is nearest to `at`: others may have changed what stands before it.
function nearest(text, context, at) {
  const start = at - context.length;
  const after = text.indexOf(context, start);
  const before = text.lastIndexOf(context, start);
  const places = [after, before].filter((each) => each >= 0);
  if (!places.length) return at;
  return places.reduce((one, other) => (Math.abs(other - start) < Math.abs(one - start) ? other : one)) + context.length;
}
