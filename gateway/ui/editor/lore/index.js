// Names of a lorebook that stand in the visible lines of the editor, marked.
//
// Only what is visible is asked about, a moment after it came to rest.
import * as CM from "nicegui-codemirror";

const PAUSE_MS = 250;
const AROUND = 200; // units before and behind what is visible: a name may begin there
const MOST = 60_000; // units of a text that is asked about

const show = CM.StateEffect.define();
const shown = CM.StateField.define({
  create: () => CM.Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(show)) return effect.value;
    return marks.map(transaction.changes);
  },
  provide: (field) => CM.EditorView.decorations.from(field),
});

export const lore = [shown];

export class LoreMarks {
  // `book`: `{mentions, page}`, where the API finds mentions, and the page of the lorebook. `onSeen(entries, said)`:
  // the entries that the visible lines mention, or why they are not known.
  constructor(view, book, onSeen) {
    this.view = view;
    this.book = book;
    this.onSeen = onSeen;
    this.asked = null;
    this.read().catch(() => {});
  }

  changed(update) {
    if (update.docChanged || update.viewportChanged || update.geometryChanged) this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read().catch(() => {}), PAUSE_MS);
  }

  // What is visible, in pieces that do not cut a character in two.
  pieces() {
    const { doc } = this.view.state;
    const pieces = [];
    let room = MOST;
    let reached = 0;
    for (const range of this.view.visibleRanges) {
      const from = Math.max(reached, range.from - AROUND);
      const to = Math.min(doc.length, range.to + AROUND, from + room);
      if (to <= from) continue;
      const text = doc.sliceString(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, " ");
      pieces.push({ from, text });
      room -= to - from;
      reached = to;
    }
    return pieces;
  }

  async read() {
    const { doc } = this.view.state;
    const pieces = this.pieces();
    const asked = { doc, key: pieces.map((each) => `${each.from}:${each.text}`).join("\0") };
    if (this.asked && this.asked.key === asked.key) return;
    this.asked = asked;
    let answers;
    try {
      answers = await Promise.all(pieces.map((each) => this.mentions(each)));
    } catch (error) {
      if (this.asked === asked) this.asked = null;
      return this.stopped || this.onSeen([], error instanceof TypeError ? "no connection" : error.message);
    }
    // What was typed meanwhile is asked about next.
    if (this.stopped || this.asked !== asked || this.view.state.doc !== doc) return;
    const marks = answers.flatMap((each) => each.marks).sort((one, other) => one.from - other.from);
    this.view.dispatch({ effects: show.of(CM.Decoration.set(marks, true)) });
    const entries = new Map(answers.flatMap((each) => each.entries).map((each) => [each.uid, each.name]));
    const page = (uid) => `${this.book.page}?${new URLSearchParams({ entry: uid })}`;
    this.onSeen([...entries].map(([uid, name]) => ({ uid, name, page: page(uid) })));
  }

  async mentions({ from, text }) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(this.book.mentions, { method: "POST", headers, body: JSON.stringify({ text }) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.detail);
    const names = new Map(told.entries.map((each) => [each.uid, each.name]));
    const title = (mark) => mark.entries.map((uid) => names.get(uid)).join("; ");
    const mark = (each) => {
      const attributes = { title: title(each) };
      return CM.Decoration.mark({ class: "prose-lore-mark", attributes }).range(from + each.start, from + each.end);
    };
    return { marks: told.marks.map(mark), entries: told.entries };
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    this.view.dispatch({ effects: show.of(CM.Decoration.none) });
  }
}
