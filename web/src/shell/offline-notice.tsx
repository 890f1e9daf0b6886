/**
 * Says that the server does not answer, and when it is asked again. Nothing on the page is lost meanwhile.
 */
import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { retryNow, useReach } from "../api/reachable.ts";
import { formatDuration } from "../format/time.ts";
import { shellMessages } from "../i18n/en/shell.ts";
import { useLanguage } from "../i18n/language.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/surfaces.tsx";

/** Whole seconds until then, counted down to 1. */
function useSecondsUntil(atMs: number | null): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    setNowMs(Date.now());
    if (atMs === null) return;
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [atMs]);
  return atMs === null ? 0 : Math.max(1, Math.ceil((atMs - nowMs) / 1_000));
}

/** Nothing while the server is reached. */
export function OfflineNotice() {
  const t = useMessages(shellMessages);
  const { isReached, retryAtMs } = useReach();
  const language = useLanguage();
  const waitMs = useSecondsUntil(retryAtMs) * 1_000;
  if (isReached) return null;
  const isAsking = retryAtMs === null;
  return (
    <Notice
      tone="warn"
      icon={<CloudOff />}
      title={<span role="status">{t("offline")}</span>}
      action={
        <Button size="small" busy={isAsking} onClick={retryNow}>
          {t("retryNow")}
        </Button>
      }
    >
      {/* Read aloud once, not every second. */}
      <p aria-hidden>{isAsking ? t("retrying") : t("retryIn", { wait: formatDuration(waitMs, language) })}</p>
    </Notice>
  );
}
