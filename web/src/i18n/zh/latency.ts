/** Words of percentiles and histograms of how long requests took, in Chinese. */
import type { latencyMessages } from "../en/latency.ts";
import type { Translation } from "../messages.ts";

export const latencyChinese: Translation<typeof latencyMessages> = {
  firstToken: "首 token 时间",
  duration: "成功请求的耗时",
  firstTokenShort: "首 token p50 · p95",
  durationShort: "耗时 p50 · p95",
  firstTokenP50: "首 token 时间 p50",
  firstTokenOf: "首 token {{percentile}}",
  durationOf: "耗时 {{percentile}}",
  histogramOf: "{{what}}：按时间分布的请求数",
  bucket: "{{from}} 至 {{to}}",
  histogramCount_other: "{{count}} 个请求",
  noTimes: "此时段的请求没有计时",
  ofRequests: "基于 {{count}} 个请求",
  ofSome: "共 {{of}} 个请求，基于仍保留的 {{count}} 个",
  removed: "没有百分位数：这些请求的明细已删除。平均值为 {{mean}}。",
  refusedTitle: "此时段没有百分位数",
  refused: "百分位数直接从请求明细读取，最多 {{days}} 天、{{requests}} 个请求。请选择更短的时段。",
  refusedNote: "仅限最多 {{days}} 天、{{requests}} 个请求",
  failed: "无法加载百分位数",
};
