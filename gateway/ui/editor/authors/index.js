// Who wrote each passage, in the margin of the editor.
import * as CM from "nicegui-codemirror";

const SHOWN = { human: "person", ai: "model", mixed: "both", unknown: "unknown", untraced: "unknown" };

class Author extends CM.GutterMarker {
  constructor(block) {
    super();
    this.word = SHOWN[block.who] || "unclear";
    const by = [block.model, block.intent && `intent ${block.intent}`, block.at && block.at.slice(0, 10)];
    this.more = [this.word, ...by.filter(Boolean)].join(", ");
    this.elementClass = `prose-by-${this.word}`;
  }
  eq(other) {
    return this.more === other.more;
  }
  toDOM() {
    const shown = document.createElement("span");
    shown.textContent = this.word;
    shown.title = this.more;
    return shown;
  }
}

// Marks for the first line of each block that stands in the text as it was committed, in the same order.
export function placed(doc, blocks) {
  const lines = new Map();
  for (let number = 1; number <= doc.lines; number++) {
    const text = doc.line(number).text.trim(); // blocks come without the space around them
    if (lines.has(text)) lines.get(text).push(number);
    else lines.set(text, [number]);
  }
  const marks = new CM.RangeSetBuilder();
  let after = 0;
  for (const block of blocks) {
    const wanted = block.text.split("\n").map((text) => text.trim());
    const is = (number, text) => number <= doc.lines && doc.line(number).text.trim() === text;
    const same = (from) => wanted.every((text, at) => is(from + at, text));
    const found = (lines.get(wanted[0]) || []).find((number) => number > after && same(number));
    if (!found) continue;
    const start = doc.line(found).from;
    marks.add(start, doc.line(found + wanted.length - 1).to, new Author(block));
    after = found + wanted.length - 1;
  }
  return marks.finish();
}

export const showAuthors = CM.StateEffect.define();

// null: nothing is shown. A passage that is changed loses its mark: the words are no longer the author's alone.
const shown = CM.StateField.define({
  create: () => null,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(showAuthors)) return effect.value;
    if (!marks || !transaction.docChanged) return marks;
    transaction.changes.iterChangedRanges((from, to) => {
      const untouched = (start, end) => end < from || start > to;
      marks = marks.update({ filterFrom: from, filterTo: to, filter: untouched });
    });
    return marks.map(transaction.changes);
  },
});
const margin = CM.gutter({
  class: "prose-authors",
  lineMarker(view, line) {
    let found = null;
    const marks = view.state.field(shown);
    if (marks) marks.between(line.from, line.from, (from, _to, mark) => void (from === line.from && (found = mark)));
    return found;
  },
  lineMarkerChange: (update) => update.startState.field(shown) !== update.state.field(shown),
});
// The margin takes no room while nothing is shown.
const hidden = CM.EditorView.editorAttributes.compute([shown], (state) =>
  state.field(shown) ? { class: "with-authors" } : {},
);

export const authors = [shown, margin, hidden];
