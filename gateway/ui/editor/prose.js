// The editor of prose: CodeMirror over a draft of the API. NiceGUI sends it an address, never the text.
import * as CM from "nicegui-codemirror";
import { Journal, Outbox } from "penwright-outbox";
import { authors, placed, showAuthors } from "penwright-authors";
import { LoreMarks, lore } from "penwright-lore";
import { found, leave } from "penwright-place";

const SAYS = {
  loading: "Loading…",
  stored: "All words are stored",
  sending: "Storing…",
  offline: "No connection: your words are kept in this browser and sent later",
  "signed-out": "You are signed out: your words are kept in this browser; sign in with `penwright web`",
  unkept: "This change is too large for the browser to keep: leave the page open until it is stored",
  saving: "Saving as your commit…",
  outdated: "Penwright was upgraded: your words are kept in this browser and sent once the page is loaded again",
  "too-long": "That would make the text too long to edit here: nothing was put in; split it into several files",
};
const ARRIVED_MS = 60_000;
const COUNTED_AFTER_MS = 2_000;

// What no store takes: NUL, and half of a character that has two units.
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
const IN_ITS_PLACE = "\ufffd";

const arrive = CM.StateEffect.define();
const depart = CM.StateEffect.define();
const mark = CM.Decoration.mark({ class: "prose-arrived" });
// Notes for the writer, looked for in the visible lines alone.
const note = new CM.MatchDecorator({
  regexp: /<!--\s*INK:(?:(?!-->).)*-->/g,
  decoration: CM.Decoration.mark({ class: "prose-note" }),
});
const notes = CM.ViewPlugin.define(
  (view) => ({
    marks: note.createDeco(view),
    update(update) {
      this.marks = note.updateDeco(update, this.marks);
    },
  }),
  { decorations: (plugin) => plugin.marks },
);
// CodeMirror reads what was typed in a microtask. Without a listener of `input` a scroll event of the same frame
// comes first, at which CodeMirror takes the caret to be still before the letter.
const readAtOnce = CM.EditorView.domEventObservers({ input: () => {} });
// Passages that others changed, marked for a minute.
const arrivals = CM.StateField.define({
  create: () => CM.Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(arrive)) marks = marks.update({ add: effect.value, sort: true });
      if (effect.is(depart)) marks = CM.Decoration.none;
    }
    return marks;
  },
  provide: (field) => CM.EditorView.decorations.from(field),
});

export default {
  template: `<div class="prose-editor">
    <p class="prose-state" role="status" ref="state"></p>
    <button type="button" class="prose-reload" ref="reload" hidden @click="reload">Load the page again</button>
    <p class="prose-others" role="status">{{ company }}</p>
    <div ref="place"></div>
    <p v-if="today" class="prose-today">
      You wrote {{ today.text }} words in this text today, {{ today.work }} in the whole work (days are in UTC).
    </p>
    <section v-if="book" class="prose-lore" aria-label="Lore in the lines that are shown">
      <p><strong>Mentioned in these lines:</strong> {{ seen.length ? "" : missing }}</p>
      <ul v-if="seen.length">
        <li v-for="each in seen" :key="each.uid"><a :href="each.page">{{ each.name }}</a></li>
      </ul>
      <p>Marks show mentions. They put no lore into a prompt.</p>
    </section>
  </div>`,
  props: { url: String, label: String, line: Number, most: Number, notes: Boolean, blame: String },
  // book: the lorebook whose names are marked; seen: its entries in the visible lines; missing: why there are none;
  // today: words that the person wrote today, here and in the whole work; others: pages that have the text open.
  data: () => ({ book: null, seen: [], missing: "", today: null, others: [] }),
  computed: {
    company() {
      const names = [...new Set(this.others.filter((each) => !each.own).map((each) => each.name))];
      const who = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)} have` : `${names[0]} has`;
      const own = this.others.some((each) => each.own) ? "You have this text open in another tab, too." : "";
      return [names.length ? `${who} this text open, too.` : "", own].filter(Boolean).join(" ");
    },
  },
  mounted() {
    this.state = "loading";
    this.say("loading");
    this.load().catch((error) => this.say("refused", String(error)));
    this.online = () => this.outbox && this.outbox.now();
    // What stands in the journal is sent by the next page; the browser asks only about what does not.
    this.leaving = (event) => {
      if (this.outbox && this.outbox.unkept) event.preventDefault();
    };
    this.left = () => leave(this.view);
    window.addEventListener("online", this.online);
    window.addEventListener("beforeunload", this.leaving);
    window.addEventListener("pagehide", this.left);
  },
  beforeUnmount() {
    window.removeEventListener("pagehide", this.left);
    window.removeEventListener("online", this.online);
    window.removeEventListener("beforeunload", this.leaving);
    clearTimeout(this.counting);
    if (this.outbox) this.outbox.stop();
    if (this.marks) this.marks.stop();
    if (this.view) this.view.destroy();
  },
  methods: {
    async load() {
      const journal = new Journal(this.url.split("/").pop());
      const refused = await journal.deliverOthers(this.url, (state) => this.say(state));
      const draft = await this.fetched();
      this.outbox = new Outbox(this.url, draft.version, journal, {
        onRemote: (changes, kind) => this.bring(changes, kind),
        onState: (state, detail) => this.say(state, detail),
        onOthers: (pages) => (this.others = pages),
        program: draft.program,
      });
      this.show(draft.text);
      this.say(draft.unsaved ? "stored" : "saved", refused.join("; "));
      this.$emit("opened", { version: draft.version });
      this.outbox.listen();
    },
    // The draft; asked again and again while the server does not answer.
    async fetched() {
      for (let wait = 500; ; wait = Math.min(2 * wait, 10_000)) {
        try {
          const answer = await fetch(this.url);
          if (answer.ok) return await answer.json();
          if (answer.status === 401) this.say("signed-out");
          else if (answer.status < 500 && answer.status !== 429) throw new Error((await answer.json()).detail);
          else this.say("offline");
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          this.say("offline");
        }
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    },
    show(text) {
      const save = { key: "Mod-s", preventDefault: true, run: () => (this.save(), true) };
      const noted = { key: "Mod-Alt-m", preventDefault: true, run: () => this.notes && (this.add_note(), true) };
      const state = CM.EditorState.create({
        doc: text,
        extensions: [
          // A lone carriage return is a character of the text and no line end, as on the server.
          CM.EditorState.lineSeparator.of("\n"),
          CM.history(),
          CM.drawSelection(),
          CM.EditorView.lineWrapping,
          CM.keymap.of([save, noted, ...CM.defaultKeymap, ...CM.historyKeymap]),
          CM.EditorView.contentAttributes.of({
            "aria-label": this.label,
            tabindex: "0",
            spellcheck: "true",
            autocapitalize: "sentences",
          }),
          arrivals,
          notes,
          authors,
          lore,
          readAtOnce,
          CM.EditorState.transactionFilter.of((transaction) => this.fitting(transaction)),
          CM.EditorView.updateListener.of((update) => this.changed(update)),
        ],
      });
      this.view = new CM.EditorView({ state, parent: this.$refs.place });
      const place = found(text);
      if (place) this.go_on(place);
      else if (this.line) this.scroll_to(this.line);
      this.mark_lore();
    },
    // As if the page had never been gone.
    go_on({ anchor, head, top, ahead, focused }) {
      const margin = top === null ? {} : { y: "start", yMargin: top };
      this.view.dispatch({ selection: { anchor, head }, effects: CM.EditorView.scrollIntoView(head, margin) });
      if (ahead) this.view.dispatch(this.view.state.replaceSelection(ahead));
      if (focused) this.view.focus();
    },
    changed(update) {
      if (this.marks) this.marks.changed(update);
      for (const transaction of update.transactions) {
        if (transaction.docChanged && !transaction.annotation(CM.Transaction.remote)) {
          if (this.state === "too-long") this.state = "sending"; // it was read
          this.outbox.add(transaction.changes);
        }
      }
    },
    // What the person puts in has room, or nothing of it is put in: the clipboard still has it.
    fitting(transaction) {
      if (transaction.annotation(CM.Transaction.remote)) return transaction;
      const longer = transaction.newDoc.length > transaction.startState.doc.length;
      if (!longer || transaction.newDoc.length <= this.most) return storable(transaction);
      this.say("too-long");
      return [];
    },
    bring(changes, kind) {
      const marks = [];
      changes.iterChangedRanges((_from, _to, from, to) => {
        if (to > from) marks.push(mark.range(from, to));
      });
      this.view.dispatch({
        changes,
        effects: arrive.of(marks),
        annotations: [CM.Transaction.remote.of(true), CM.Transaction.addToHistory.of(false)],
      });
      clearTimeout(this.departing);
      this.departing = setTimeout(() => this.view.dispatch({ effects: depart.of(null) }), ARRIVED_MS);
      this.$emit("arrived", { kind });
    },
    say(state, detail = "") {
      // That a paste was refused stays to be read until the next change, though earlier words are stored meanwhile.
      if (this.state === "too-long" && !detail && (state === "sending" || state === "stored")) return;
      this.state = state;
      const said = state === "saved" ? "Saved" : state === "refused" ? "Not stored" : SAYS[state] || state;
      this.$refs.state.textContent = detail ? `${said}: ${detail}` : said;
      this.$refs.state.dataset.state = state;
      this.$refs.reload.hidden = state !== "outdated";
      if (state === "stored" || state === "saved") this.count_later();
    },
    count_later() {
      clearTimeout(this.counting);
      this.counting = setTimeout(() => this.count(), COUNTED_AFTER_MS);
    },
    // Words of today; while the server does not answer, those that were known stay.
    async count() {
      try {
        const answer = await fetch(`${this.url}/today`);
        if (answer.ok) this.today = await answer.json();
      } catch {
        // Counted again after the next change that is stored.
      }
    },
    reload() {
      // What is not stored stands in the journal.
      window.removeEventListener("beforeunload", this.leaving);
      location.reload();
    },
    // Makes the draft a commit of the person's.
    async save() {
      if (!this.outbox || this.outbox.stopped) return;
      await this.outbox.now();
      if (!this.outbox.empty) return;
      this.say("saving");
      try {
        const answer = await fetch(`${this.url}/save`, { method: "POST" });
        const told = await answer.json();
        const warnings = told.warnings || [];
        const done = told.commit ? `commit ${told.commit.slice(0, 8)}` : "nothing had changed";
        if (answer.ok) this.say("saved", [done, ...warnings].join("; "));
        else this.say("stored", `not saved as a commit yet: ${told.detail}`);
        if (this.authored) await this.fetch_authors();
        this.$emit("saved", { ok: answer.ok, commit: told.commit || "", disputes: told.disputes || [], warnings });
      } catch {
        this.say("offline");
      }
    },
    // Puts an empty note for the writer below the selection's paragraph, and the cursor into it.
    add_note() {
      const { doc, selection } = this.view.state;
      const at = doc.lineAt(selection.main.to).to;
      const before = "\n\n<!-- INK: ";
      this.view.dispatch({
        changes: { from: at, insert: `${before} -->` },
        selection: { anchor: at + before.length },
        scrollIntoView: true,
      });
      this.view.focus();
    },
    // Shows who wrote each passage in the margin, or hides it.
    async toggle_authors() {
      if (!this.view || !this.blame) return;
      this.authored = !this.authored;
      if (this.authored) return this.fetch_authors();
      this.view.dispatch({ effects: showAuthors.of(null) });
      this.$emit("authors", { on: false });
    },
    async fetch_authors() {
      let said;
      try {
        const answer = await fetch(this.blame);
        const told = await answer.json();
        if (answer.ok) {
          const marks = placed(this.view.state.doc, told.blocks);
          this.view.dispatch({ effects: showAuthors.of(marks) });
          return this.$emit("authors", { on: true, shown: marks.size });
        }
        said = told.detail;
      } catch {
        said = "no connection";
      }
      this.authored = false;
      this.$emit("authors", { on: false, said });
    },
    // Marks names of a lorebook (see `LoreMarks`) in the visible lines; null: of none.
    show_lore(book) {
      this.book = book;
      if (this.view) this.mark_lore();
    },
    mark_lore() {
      if (this.marks) this.marks.stop();
      this.marks = null;
      Object.assign(this, { seen: [], missing: "" });
      if (!this.book) return;
      this.marks = new LoreMarks(this.view, this.book, (seen, said) => {
        Object.assign(this, { seen, missing: said ? `not known, ${said}` : "nothing of this lorebook" });
      });
    },
    scroll_to(line) {
      const at = this.view.state.doc.line(Math.max(1, Math.min(line, this.view.state.doc.lines))).from;
      this.view.dispatch({ selection: { anchor: at }, effects: CM.EditorView.scrollIntoView(at, { y: "start" }) });
      this.view.focus();
    },
  },
};

// The transaction, in whose text a character stands for each that could not be stored: the server would take
// neither it nor anything that is typed later.
function storable(transaction) {
  const changes = [];
  transaction.changes.iterChanges((_from, _to, start, _end, inserted) => {
    for (const { index } of inserted.toString().matchAll(UNSTORABLE)) {
      changes.push({ from: start + index, to: start + index + 1, insert: IN_ITS_PLACE });
    }
  });
  return changes.length ? [transaction, { changes, sequential: true }] : transaction;
}
