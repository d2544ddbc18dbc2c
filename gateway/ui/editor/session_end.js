// Says some minutes before that the session ends; it goes away once the person signed in again in another tab.
const SOON_MS = 15 * 60_000;
const LOOKED_EVERY_MS = 5_000;

export default {
  template: `<div role="status"><p v-if="at && !closed" class="ending">You will be signed out at {{ at }}. The editor and
    the chat keep your words in this browser. To go on here, run <code>penwright web</code> on the server, and open
    its link in this browser. <q-btn flat dense no-caps label="Close" @click="closed = true" /></p></div>`,
  // left: milliseconds until the end, which need no clock to agree; ends: when that is; longest: of a new session.
  props: { left: Number, ends: String, longest: Number },
  data: () => ({ at: "", closed: false }),
  mounted() {
    this.known = new Date(this.ends);
    this.here = Date.now() + this.left;
    this.timer = setInterval(this.look, LOOKED_EVERY_MS);
    this.look();
  },
  unmounted() {
    clearInterval(this.timer);
  },
  methods: {
    async look() {
      const left = this.here - Date.now();
      if (left > SOON_MS) return;
      this.at = left > 0 ? new Date(this.here).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "";
      const answer = await fetch("/api/v1/me", { cache: "no-store" }).catch(() => null);
      if (!answer?.ok || new Date((await answer.json()).expires_at) <= this.known) return;
      this.at = "";
      this.closed = false;
      this.here = Date.now() + this.longest;
      this.known = new Date(this.here);
    },
  },
};
