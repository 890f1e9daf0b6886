/** A call that went wrong: what happened, what to do about it, and the id for a report. */
import { CircleAlert } from "lucide-react";
import { formatDuration } from "../../format/time.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { Link } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { adviceFor } from "./chat/fault-advice.ts";
import type { ChatRun } from "./chat/run-chat.ts";

/** Nothing for a run without a fault. */
export function FaultNote({ run }: { readonly run: ChatRun }) {
  const t = useMessages(playgroundMessages);
  const language = useLanguage();
  const { fault, thrown } = run;
  if (thrown !== null) return <ErrorNote error={thrown} />;
  if (fault === null) return null;
  const advice = adviceFor(fault, run.keyId);
  // In the middle of an answer "try again" is not the news.
  const word = run.state === "cut" && advice.word === "fault.upstream" ? "fault.brokeOff" : advice.word;
  const wait = fault.retryAfterMs;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg bg-bad-soft px-3 py-2.5 text-bad"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">
          {t(word)}
          {wait !== null && wait > 0 && fault.status === 429 && (
            <> {t("fault.waitFor", { wait: formatDuration(wait, language) })}</>
          )}
        </p>
        {fault.message !== "" && (
          <p dir="auto" className="mt-0.5 text-body">
            {serverText(fault.message, language, fault.messageRef)}
          </p>
        )}
        <p className="mt-0.5 font-mono text-tiny">
          {[
            fault.status > 0 && fault.status >= 400 ? fault.status : undefined,
            fault.code,
            fault.param,
            fault.requestId,
          ]
            .filter((part) => part !== undefined && part !== null)
            .join(" · ")}
        </p>
      </div>
      {advice.link !== null && (
        <Link to={advice.link.to} variant="plain" size="small">
          {t(advice.link.word)}
        </Link>
      )}
    </div>
  );
}
