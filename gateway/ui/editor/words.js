// A field for words. They stay in this browser, also across a reload, until the server has taken them.
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
  props: { label: String, verb: String, icon: String, text: String, place: String, most: Number, enter: Boolean },
  data: () => ({ words: "", sent: null, overtaken: false }),
  created() {
    this.words = this.kept() ?? this.text;
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
