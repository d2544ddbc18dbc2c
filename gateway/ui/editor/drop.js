// A place for files of other programs. Each goes to the API byte for byte; the answer is told to the page.
const CHATS = /\.jsonl$/i;
const LORE = ["entries", "lorebookVersion"];

async function addressOf(file, into, wishes) {
  if (into) return `/api/v1/${into}/import?file_name=${encodeURIComponent(file.name)}&${wishes}`;
  if (CHATS.test(file.name)) return `/api/v1/scenes/import?${wishes}`;
  const lore = /\.json$/i.test(file.name) && (await isLore(file));
  return `/api/v1/${lore ? "lorebooks" : "characters"}/import?file_name=${encodeURIComponent(file.name)}&`;
}

async function isLore(file) {
  try {
    const told = JSON.parse(await file.text());
    return LORE.some((name) => name in told) && !("spec" in told);
  } catch {
    return false; // the API says what is wrong with it
  }
}

// What the file became: a character, a lorebook, a scene, or a work of its own.
function madeOf(told) {
  const kind = ["character", "scene", "lorebook"].find((each) => told[each] && told[each].id);
  const made = kind ? told[kind] : told;
  return { kind: kind || "", made: String(made.id || ""), called: String(made.name || made.title || "") };
}

export default {
  template: `<div class="drop" :class="{ over }" @dragover.prevent="over = true" @dragleave="over = false"
      @drop.prevent="dropped">
    <label>{{ label }} <input type="file" multiple :accept="accept" @change="chosen"></label>
    <p v-show="working"><span role="status">{{ working }}</span><span aria-hidden="true">{{ waited }}</span></p>
  </div>`,
  // into: the one resource that takes every file; empty: its kind decides. wishes: more of
  // the address of a text or a chat.
  props: { label: String, most: Number, accept: String, into: String, wishes: String },
  data: () => ({ over: false, waiting: [], since: 0, now: 0 }),
  computed: {
    working() {
      const [file, ...others] = this.waiting;
      return file ? `Taking in ${file.name.slice(0, 200)} …${others.length ? ` (${others.length} more)` : ""}` : "";
    },
    waited() {
      const seconds = Math.floor((this.now - this.since) / 1000);
      return this.waiting.length && seconds > 0 ? ` ${seconds} s` : "";
    },
  },
  methods: {
    dropped(event) {
      this.over = false;
      this.take([...event.dataTransfer.files]);
    },
    chosen(event) {
      this.take([...event.target.files]);
      event.target.value = "";
    },
    async take(files) {
      const atWork = this.waiting.length;
      this.waiting.push(...files);
      if (atWork) return;
      const clock = setInterval(() => (this.now = Date.now()), 1000);
      while (this.waiting.length) {
        this.since = this.now = Date.now();
        this.$emit("answered", await this.sent(this.waiting[0]));
        this.waiting.shift();
      }
      clearInterval(clock);
    },
    async sent(file) {
      const name = file.name.slice(0, 200);
      if (file.size > this.most) return { name, ok: false, said: "the file is too large", hint: "" };
      const headers = {
        "content-type": "application/octet-stream",
        "idempotency-key": crypto.getRandomValues(new Uint32Array(4)).join("-"),
      };
      try {
        const answer = await fetch(await addressOf(file, this.into, this.wishes), { method: "POST", headers, body: file });
        const told = await answer.json();
        if (answer.ok) return { name, ok: true, said: "", hint: "", ...madeOf(told) };
        return { name, ok: false, said: String(told.detail), hint: String(told.hint || ""), code: told.code };
      } catch {
        return { name, ok: false, said: "no connection; drop it again", hint: "" };
      }
    },
  },
};
