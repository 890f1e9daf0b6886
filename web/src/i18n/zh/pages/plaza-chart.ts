/** Words of the chart of models, in Chinese. */
import type { plazaChartMessages } from "../../en/pages/plaza-chart.ts";
import type { Translation } from "../../messages.ts";

export const plazaChartChinese: Translation<typeof plazaChartMessages> = {
  priceAxis: "价格轴",
  speedAxis: "速度轴",
  byOutputPrice: "输出价",
  byInputPrice: "输入价",
  bySpeed: "每秒 token 数",
  byFirstToken: "首 token 时间",
  legend: "成功率",
  "quality.high": "99% 及以上",
  "quality.middle": "95% 至 99%",
  "quality.low": "低于 95%",
  "quality.unknown": "暂无数据",
  chartLabel: "{{price}}与{{speed}}图。用方向键在模型之间移动。",
  leftOut_other: "{{count}} 个模型不在图中：没有价格，或 24 小时内没有实测数据。",
  noneTitle: "没有实测模型",
  noneText: "图表显示有价格且 24 小时内有流量的模型。",
  asTable: "以表格显示数值",
};
