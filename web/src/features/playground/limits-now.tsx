/** What is left of limits at the moment of an answer: a bar and figures for each kind that has a limit. */
import { formatDuration } from "../../format/time.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { TokenCount } from "../../ui/figures.tsx";
import type { LimitLeft, LimitsLeft } from "./chat/limits-left.ts";

function Kind({ label, left }: { readonly label: string; readonly left: LimitLeft }) {
  const t = useMessages(playgroundMessages);
  const language = useLanguage();
  const share = left.limit === 0 ? 0 : Math.min(1, left.remaining / left.limit);
  return (
    <div className="min-w-0">
      <div className="flex items-baseline justify-between gap-3 text-small">
        <span className="whitespace-nowrap text-muted">{label}</span>
        <span className="figures whitespace-nowrap">
          <TokenCount value={left.remaining} /> / <TokenCount value={left.limit} />
          {left.resetMs !== null && left.resetMs > 0 && (
            <span className="text-faint">
              {" · "}
              {t("fullIn", { time: formatDuration(left.resetMs, language) })}
            </span>
          )}
        </span>
      </div>
      <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken dark:bg-hover">
        <div
          className={share < 0.1 ? "h-full bg-bad" : share < 0.3 ? "h-full bg-warn" : "h-full bg-accent"}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}

/** Empty when there is no limit of either kind. */
export function LimitsNow({ limits }: { readonly limits: LimitsLeft }) {
  const t = useMessages(playgroundMessages);
  if (limits.requests === null && limits.tokens === null) return null;
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(16rem,100%),1fr))] gap-3">
      {limits.requests !== null && <Kind label={t("requestsPerMinute")} left={limits.requests} />}
      {limits.tokens !== null && <Kind label={t("tokensPerMinute")} left={limits.tokens} />}
    </div>
  );
}
