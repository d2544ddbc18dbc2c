// Keeps which lorebook's names are marked, in this browser, for all texts of a work; shows nothing itself.
export default {
  template: `<span hidden></span>`,
  // place: where the choice is kept.
  props: { place: String },
  mounted() {
    try {
      const kept = localStorage.getItem(this.place);
      if (kept) this.$emit("kept", kept);
    } catch {
      // A browser that keeps nothing.
    }
  },
  methods: {
    keep(id) {
      try {
        if (id) localStorage.setItem(this.place, id);
        else localStorage.removeItem(this.place);
      } catch {
        // Without room the choice lasts as long as the page.
      }
    },
  },
};
