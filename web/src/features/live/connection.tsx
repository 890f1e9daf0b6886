/**
 * Whether figures move: connecting, live, paused, or when the next attempt is. Buttons to pause and go on.
 */
import { Pause, Play, RotateCw } from "lucide-react";
import { useEffect, useState } from "react";
import { formatDuration } from "../../format/time.ts";
import { operatorLiveMessages } from "../../i18n/en/operator-live.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import type { LiveStatus } from "./feed.ts";
import { useFeed, useLive } from "./use-live.ts";

const tones: Record<LiveStatus["kind"], Tone> = {
  connecting: "warn",
  live: "good",
  waiting: "bad",
  paused: "neutral",
};

const words = { connecting: "connecting", live: "live", waiting: "reconnecting", paused: "paused" } as const;

/** Whole seconds until then, counted down to 1. */
function useSecondsUntil(atMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(1, Math.ceil((atMs - nowMs) / 1_000));
}

function Countdown({ atMs }: { readonly atMs: number }) {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  const seconds = useSecondsUntil(atMs);
  return <>{t("reconnectingIn", { wait: formatDuration(seconds * 1_000, language) })}</>;
}

/** Only a change of state is read aloud, not every second of the countdown. */
export function ConnectionState() {
  const t = useMessages(operatorLiveMessages);
  const status = useLive((state) => state.status);
  return (
    <span className="inline-flex min-h-8 items-center">
      <span role="status" className="sr-only">
        {t(words[status.kind])}
      </span>
      <span aria-hidden>
        <StatusBadge tone={tones[status.kind]}>
          {status.kind === "waiting" ? <Countdown atMs={status.retryAtMs} /> : t(words[status.kind])}
        </StatusBadge>
      </span>
    </span>
  );
}

/** Pause, resume, or try again now. */
export function PauseButton() {
  const t = useMessages(operatorLiveMessages);
  const feed = useFeed();
  const kind = useLive((state) => state.status.kind);
  if (kind === "waiting")
    return (
      <Button icon={<RotateCw aria-hidden className="size-4" />} onClick={() => feed.retry()}>
        {t("retryNow")}
      </Button>
    );
  const isPaused = kind === "paused";
  return (
    <Button
      icon={isPaused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
      onClick={() => feed.setPaused(!isPaused)}
    >
      {t(isPaused ? "resume" : "pause")}
    </Button>
  );
}
