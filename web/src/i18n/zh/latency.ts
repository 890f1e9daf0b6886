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
  refused:
    "百分位数直接从请求明细读取，最多 {{days}} 天，且请求不能几乎全部集中在极短时间内。请选择更短的时段。",
  refusedNote: "仅限最多 {{days}} 天",
  sampleNote:
    "请求超过 {{max}} 个时，耗时取自样本：每 {{oneIn}} 个请求取一个，即均匀分布在整个时段内的若干时间片中的全部请求。",
  sampleError: "在 95% 置信度下，全部请求的 p95 与此相差至多 {{first}}（首 token）和 {{duration}}（耗时）。",
  sampleErrorUnknown: "未知时长",
  ofSample: "基于 {{count}} 个请求的样本",
  inSample: "样本中的请求",
  sampled: "样本",
  failed: "无法加载百分位数",
};
