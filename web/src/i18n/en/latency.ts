/** Words of percentiles and histograms of how long requests took. */
import { defineMessages } from "../messages.ts";

export const latencyMessages = defineMessages("latency", {
  firstToken: "Time to first token",
  duration: "Duration of complete requests",
  firstTokenShort: "First token p50 · p95",
  durationShort: "Duration p50 · p95",
  firstTokenP50: "Time to first token, p50",
  firstTokenOf: "First token {{percentile}}",
  durationOf: "Duration {{percentile}}",
  histogramOf: "{{what}}: requests by time",
  bucket: "{{from}} to {{to}}",
  histogramCount_one: "{{count}} request",
  histogramCount_other: "{{count}} requests",
  noTimes: "No request has a time in this period",
  ofRequests: "Of {{count}} requests",
  ofSome: "Of the {{count}} requests that are still stored, of {{of}}",
  removed: "No percentiles: these requests were removed. The mean was {{mean}}.",
  refusedTitle: "This period has no percentiles",
  refused:
    "Percentiles are read from the requests themselves: at most {{days}} days, and not where nearly all requests came within moments. Select a shorter period.",
  refusedNote: "Only for at most {{days}} days",
  sampleNote:
    "With more than {{max}} requests, times are of a sample: one request in {{oneIn}}, all those in stretches of time that are spread over the period.",
  sampleError:
    "With 95% confidence, the p95 of all requests differs by at most {{first}} (first token) and {{duration}} (duration).",
  sampleErrorUnknown: "an unknown time",
  ofSample: "Of a sample of {{count}} requests",
  inSample: "Requests in the sample",
  sampled: "sample",
  failed: "The percentiles could not be loaded",
});
