// When runs begin, by the reader's clock; and by that of the timetable where it says something else.
const SHOWN = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

export default {
  template: `<span>
    <template v-for="(each, at) in runs" :key="each.at">{{ at ? "; " : "" }}<time
      :datetime="each.at">{{ here(each) }}</time>{{ there(each) }}{{ each.told ? " (" + each.told + ")" : "" }}</template>
  </span>`,
  // runs: `{at, there, told}`: an instant, the time by the timetable's clock, how long until then; zone: its name.
  props: { runs: Array, zone: String },
  methods: {
    // As *Mon 30 Nov, 06:30*.
    here(each) {
      const parts = new Intl.DateTimeFormat("en-GB", SHOWN).formatToParts(new Date(each.at));
      const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
      return `${of.weekday} ${of.day} ${of.month.slice(0, 3)}, ${of.hour}:${of.minute}`;
    },
    there(each) {
      return this.here(each) === each.there ? "" : `, ${each.there} ${this.zone}`;
    },
  },
};
