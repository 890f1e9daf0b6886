/** Words of the chart of models. */
import { defineMessages } from "../../messages.ts";

export const plazaChartMessages = defineMessages("plazaChart", {
  priceAxis: "Price axis",
  speedAxis: "Speed axis",
  byOutputPrice: "Output price",
  byInputPrice: "Input price",
  bySpeed: "Tokens per second",
  byFirstToken: "Time to first token",
  legend: "Success rate",
  "quality.high": "99% or more",
  "quality.middle": "95% to 99%",
  "quality.low": "Below 95%",
  "quality.unknown": "Not measured",
  chartLabel: "Chart of {{price}} and {{speed}}. Use the arrow keys to move between models.",
  leftOut_one:
    "{{count}} model is not in the chart: it has no price or was not measured in the last 24 hours.",
  leftOut_other:
    "{{count}} models are not in the chart: they have no price or were not measured in the last 24 hours.",
  noneTitle: "No measured models",
  noneText: "The chart shows models with a price and traffic in the last 24 hours.",
  asTable: "Show values as table",
});
