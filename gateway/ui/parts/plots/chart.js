// A chart of ECharts. NiceGUI's own begins after the page has drawn it, and fails when it is removed before that.

import { echarts } from "nicegui-echart";

export default {
  template: "<div></div>",
  props: { options: Object },
  mounted() {
    this.chart = echarts.init(this.$el);
    this.chart.setOption(this.options);
    this.sized = new ResizeObserver(() => this.chart.resize());
    this.sized.observe(this.$el);
  },
  beforeUnmount() {
    this.sized.disconnect();
    this.chart.dispose();
  },
};
