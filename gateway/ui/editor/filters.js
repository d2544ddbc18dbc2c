// Filters that a person wants again, kept in this browser: each is a name and the query of an address.
const MOST = 20;

export default {
  template: `<nav v-if="kept.length || query" class="saved-filters" aria-label="Saved filters">
    <ul class="filters">
      <li v-for="(each, at) in kept" :key="each.query">
        <a :href="path + '?' + each.query">{{ each.name }}</a>
        <button type="button" :aria-label="'Forget ' + each.name" @click="forget(at)">×</button>
      </li>
      <li v-if="query && !known"><button type="button" @click="keep">Save these filters</button></li>
    </ul>
  </nav>`,
  // path: of the page; query: of the filters that are set, empty without one; name: what they are called.
  props: { path: String, query: String, name: String },
  data: () => ({ kept: [] }),
  computed: {
    known() {
      return this.kept.some((each) => each.query === this.query);
    },
  },
  mounted() {
    this.kept = this.stored();
  },
  methods: {
    place() {
      return `penwright-filters-${this.path}`;
    },
    // What another page or an older version left there may be anything.
    stored() {
      try {
        const told = JSON.parse(localStorage.getItem(this.place()) || "[]");
        const whole = (each) => each && typeof each.name === "string" && typeof each.query === "string";
        return Array.isArray(told) ? told.filter(whole).slice(0, MOST) : [];
      } catch {
        return [];
      }
    },
    keep() {
      this.store([...this.stored(), { name: this.name, query: this.query }].slice(-MOST));
    },
    forget(at) {
      this.store(this.kept.filter((_, number) => number !== at));
    },
    store(kept) {
      this.kept = kept;
      try {
        localStorage.setItem(this.place(), JSON.stringify(kept));
      } catch {
        // Without room they last as long as the page.
      }
    },
  },
};
