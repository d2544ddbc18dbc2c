// Which lorebook's names are marked in a text; kept in this browser for all texts of the work.
export default {
  template: `<label class="lore-choice">Lore
    <select v-model="chosen" @change="choose">
      <option value="">none</option>
      <option v-for="each in books" :key="each.id" :value="each.id">{{ each.name }}</option>
    </select>
  </label>`,
  // books: `{id, name}` of each lorebook; place: where the choice is kept.
  props: { books: Array, place: String },
  data: () => ({ chosen: "" }),
  mounted() {
    const kept = this.kept();
    if (!this.books.some((each) => each.id === kept)) return;
    this.chosen = kept;
    this.$emit("chosen", kept);
  },
  methods: {
    kept() {
      try {
        return localStorage.getItem(this.place);
      } catch {
        return null; // a browser that keeps nothing
      }
    },
    choose() {
      try {
        if (this.chosen) localStorage.setItem(this.place, this.chosen);
        else localStorage.removeItem(this.place);
      } catch {
        // Without room it lasts as long as the page.
      }
      this.$emit("chosen", this.chosen);
    },
  },
};
