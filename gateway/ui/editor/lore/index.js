// Names of a lorebook that stand in the visible lines of the editor, marked.
//
// Only what is drawn is asked about, a moment after it came to rest: the visible lines, and those that the editor
// keeps ready above and below. The entries that are told are those of the visible lines alone.
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
    this.names = new Map(); // of entries, by uid
    this.scrolled = () => this.later();
    view.scrollDOM.addEventListener("scroll", this.scrolled, { passive: true });
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
    if (this.asked && this.asked.key === asked.key) return this.tell();
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
    this.view.dispatch({ effects: show.of(CM.Decoration.set(answers.flat(), true)) });
    this.tell();
  }

  // Which entries the lines mention that can be seen.
  tell() {
    if (this.stopped) return;
    const box = this.view.scrollDOM.getBoundingClientRect();
    const from = this.view.posAtCoords({ x: box.left + 1, y: box.top + 1 }, false);
    const to = this.view.posAtCoords({ x: box.right - 1, y: box.bottom - 1 }, false);
    const seen = new Set();
    this.view.state.field(shown).between(from, to, (_from, _to, mark) => {
      for (const uid of mark.spec.entries) seen.add(uid);
    });
    const page = (uid) => `${this.book.page}?${new URLSearchParams({ entry: uid })}`;
    this.onSeen([...seen].map((uid) => ({ uid, name: this.names.get(uid), page: page(uid) })));
  }

  async mentions({ from, text }) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(this.book.mentions, { method: "POST", headers, body: JSON.stringify({ text }) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.detail);
    for (const each of told.entries) this.names.set(each.uid, each.name);
    return told.marks.map(({ start, end, entries }) => {
      const title = entries.map((uid) => this.names.get(uid)).join("; ");
      const mark = CM.Decoration.mark({ class: "prose-lore-mark", attributes: { title }, entries });
      return mark.range(from + start, from + end);
    });
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    this.view.scrollDOM.removeEventListener("scroll", this.scrolled);
    this.view.dispatch({ effects: show.of(CM.Decoration.none) });
  }
}
