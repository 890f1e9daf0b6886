/** p50 and p95 as one cell, and what they are of. Where no time is stored, a dash that says why. */
import { exploreRequestsMax, latencyDaysMax } from "@plaza/contract/read-limits.ts";
import { formatCount } from "../../format/count.ts";
import { formatDuration } from "../../format/time.ts";
import { latencyMessages } from "../../i18n/en/latency.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { p99Requests } from "./histogram.tsx";
import type { Latencies, Latency, Times } from "./use-latency.ts";

/** Why a period has no percentiles at all, shorter for a note; undefined: it has. */
export function useRefusal(state: Latencies["state"], isNote = false): string | undefined {
  const t = useMessages(latencyMessages);
  if (state === "failed") return t("failed");
  if (state !== "refused") return undefined;
  return t(isNote ? "refusedNote" : "refused", { days: latencyDaysMax });
}

/** Says that times are of a sample, and how far off its percentiles may be; nothing where they are of all. */
export function SampleNote({ sample }: { readonly sample: Latency["sample"] | undefined }) {
  const t = useMessages(latencyMessages);
  const language = useLanguage();
  if (sample === undefined || sample === null) return null;
  const { oneIn, firstToken, duration } = sample;
  const write = (ms: number | null) => (ms === null ? t("sampleErrorUnknown") : formatDuration(ms, language));
  return (
    <p className="text-small text-muted">
      {t("sampleNote", {
        max: formatCount(exploreRequestsMax, language),
        oneIn: formatCount(oneIn, language),
      })}{" "}
      {t("sampleError", { first: write(firstToken.p95ErrorMs), duration: write(duration.p95ErrorMs) })}
    </p>
  );
}

interface PercentilesProps {
  readonly state: Latencies["state"];
  readonly times: Times | undefined;
  /** Mean of all requests, also of those that were removed; null: none has such a time. */
  readonly meanMs: number | null;
  /** Requests that have such a time, where that is known. */
  readonly of?: number;
  /** True when the times are of a sample. */
  readonly isSample: boolean;
}

/** "820 ms · 2.1 s". */
export function Percentiles({ state, times, meanMs, of, isSample }: PercentilesProps) {
  const t = useMessages(latencyMessages);
  const language = useLanguage();
  const refusal = useRefusal(state);
  const write = (ms: number | null) => (ms === null ? "–" : formatDuration(ms, language));
  if (times === undefined || times.count === 0) {
    const mean = meanMs === null ? undefined : t("removed", { mean: write(meanMs) });
    const why = state === "loading" ? undefined : (refusal ?? mean);
    return (
      <span title={why} className="text-faint">
        –{why !== undefined && <span className="sr-only"> {why}</span>}
      </span>
    );
  }
  const { count } = times;
  const some = isSample
    ? t("ofSample", { count: formatCount(count, language) })
    : of === undefined || count >= of
      ? t("ofRequests", { count: formatCount(count, language) })
      : t("ofSome", { count: formatCount(count, language), of: formatCount(of, language) });
  const p99 = count < p99Requests ? "" : `p99 ${write(times.p99)}. `;
  return (
    <span title={`${p99}${some}`} className="figures whitespace-nowrap">
      {isSample && <span className="text-faint">≈ </span>}
      {write(times.p50)}
      <span className="text-faint"> · </span>
      {write(times.p95)}
    </span>
  );
}
