// A field for words. They stay in this browser, also across a reload, until the server has taken them.
const DRAFT_AFTER_MS = 800;

export default {
  template: `<form class="words" @submit.prevent="send">
    <q-input v-model="words" ref="field" type="textarea" autogrow outlined :label="label" :maxlength="most"
      :hint="overtaken ? '(it was changed elsewhere meanwhile; what you save replaces that)' : undefined"
      autocomplete="off" @update:model-value="keep" @keydown="pressed" />
    <div class="row-of">
      <q-btn type="submit" no-caps unelevated class="main" :icon="icon || undefined" :label="verb" />
      <slot></slot>
    </div>
  </form>`,
  props: { label: String, verb: String, icon: String, text: String, place: String, most: Number, enter: Boolean, draft: String },
  data: () => ({ words: "", sent: null, overtaken: false, due: null }),
  created() {
    this.words = this.kept() ?? (this.draft || this.text);
  },
  watch: {
    text(now, before) {
      if (this.words === before) this.words = now;
      else this.overtaken = now !== this.sent;
      this.keep();
    },
  },
  methods: {
    kept() {
      try {
        return localStorage.getItem(this.place);
      } catch {
        return null; // a browser that keeps nothing
      }
    },
    keep() {
      if (this.words === this.text) this.overtaken = false;
      try {
        if (this.words === this.text) localStorage.removeItem(this.place);
        else localStorage.setItem(this.place, this.words);
      } catch {
        // The words stay in the field.
      }
      this.tellDraft();
    },
    // A draft is kept by the server as well, for the same person in another browser.
    tellDraft() {
      if (this.draft === undefined) return;
      clearTimeout(this.due);
      this.due = setTimeout(() => this.$emit("drafted", this.words), DRAFT_AFTER_MS);
    },
    // The server has this draft; the newer of two browsers' is then the server's.
    stored(words) {
      if (words !== this.words) return;
      try {
        localStorage.removeItem(this.place);
      } catch {
        // It was not kept either.
      }
    },
    pressed(event) {
      if (event.key === "Escape") return this.$refs.field.blur();
      const sends = this.enter ? !event.shiftKey : event.ctrlKey || event.metaKey;
      if (event.key !== "Enter" || !sends || event.isComposing) return;
      event.preventDefault();
      this.send();
    },
    send() {
      this.sent = this.words;
      clearTimeout(this.due);
      this.$emit("sent", this.words);
    },
    taken() {
      // What was typed since stays.
      if (this.words !== this.sent) return;
      this.words = this.text;
      this.keep();
    },
    // Says what stands here, without sending it.
    tell() {
      this.$emit("told", this.words);
    },
    focus() {
      this.$refs.field.focus();
    },
    stay() {
      if (this.$el.contains(document.activeElement)) this.$el.scrollIntoView({ block: "nearest" });
    },
  },
};
