/** One answer of a model: reasoning folded, text as sanitised Markdown, how it ended, what it cost. */
import { Brain, LoaderCircle } from "lucide-react";
import { type ReactNode, useDeferredValue } from "react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { CopyButton } from "../../ui/code.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { type ChatRun, isRunning, type RunState } from "./chat/run-chat.ts";
import { SentCodeButton } from "./code/sent-code.tsx";
import { FaultNote } from "./fault-note.tsx";
import { RunFigures } from "./run-figures.tsx";

/** Text longer than this stays plain while it still grows, so that the page keeps up. */
const liveMarkdownMax = 30_000;

function Reasoning({ text, isOpen }: { readonly text: string; readonly isOpen: boolean }) {
  const t = useMessages(playgroundMessages);
  return (
    <details
      className="rounded-lg border border-line bg-sunken px-3 py-2"
      {...(isOpen ? { open: true } : {})}
    >
      <summary className="flex items-center gap-2 text-body text-muted">
        <Brain aria-hidden className="size-4" />
        {t("reasoning")}
      </summary>
      <div className="mt-2 max-h-80 overflow-y-auto text-body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard. */}
        <p tabIndex={0} dir="auto" className="whitespace-pre-wrap text-muted">
          {text}
        </p>
      </div>
    </details>
  );
}

function AnswerText({ run }: { readonly run: ChatRun }) {
  const text = useDeferredValue(run.answer.text);
  if (text === "") return null;
  if (isRunning(run) && text.length > liveMarkdownMax) {
    return (
      <div dir="auto" className="whitespace-pre-wrap">
        {text}
      </div>
    );
  }
  return <Markdown text={text} />;
}

function Content({ run }: { readonly run: ChatRun }) {
  const t = useMessages(playgroundMessages);
  const { answer, state } = run;
  return (
    <>
      {answer.reasoning !== "" && <Reasoning text={answer.reasoning} isOpen={false} />}
      <AnswerText run={run} />
      {answer.refusal !== "" && (
        <Notice tone="warn" title={t("refusal")}>
          <span dir="auto">{answer.refusal}</span>
        </Notice>
      )}
      {answer.toolCalls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of tools have only their place.
        <Notice key={at} title={`${t("toolCall")}: ${call.name}`}>
          <code className="text-[0.9em] whitespace-pre-wrap">{call.arguments}</code>
        </Notice>
      ))}
      {state === "complete" &&
        answer.text === "" &&
        answer.refusal === "" &&
        answer.toolCalls.length === 0 && <p className="text-muted">{t("emptyAnswer")}</p>}
    </>
  );
}

function Ending({ run }: { readonly run: ChatRun }) {
  const t = useMessages(playgroundMessages);
  const { finishReason } = run.answer;
  const notes = [
    run.state === "stopped" ? t("state.stopped") : undefined,
    finishReason === "length" ? t("finish.length") : undefined,
    finishReason === "content_filter" ? t("finish.content_filter") : undefined,
    run.clampedTo === null ? undefined : t("clamped", { count: run.clampedTo }),
    run.dropped === null ? undefined : t("dropped", { names: run.dropped }),
  ].filter((note) => note !== undefined);
  if (notes.length === 0) return null;
  return <p className="text-body text-warn">{notes.join(" ")}</p>;
}

const spoken: Partial<Record<RunState, "saidDone" | "saidStopped" | "saidFailed">> = {
  complete: "saidDone",
  stopped: "saidStopped",
  cut: "saidFailed",
  failed: "saidFailed",
};

/** An answer as it comes and when it is there. */
export function AnswerView({ run, children }: { readonly run: ChatRun; readonly children?: ReactNode }) {
  const t = useMessages(playgroundMessages);
  const word = spoken[run.state];
  return (
    <div className="flex min-w-0 flex-col gap-3" aria-busy={isRunning(run)}>
      <Content run={run} />
      {isRunning(run) && (
        <p className="flex items-center gap-2 text-body text-muted">
          <LoaderCircle aria-hidden className="size-4 animate-spin" />
          {t(run.state === "waiting" ? "waiting" : "streaming")}
        </p>
      )}
      <FaultNote run={run} />
      <Ending run={run} />
      <RunFigures run={run} />
      <span role="status" className="sr-only">
        {word === undefined ? "" : t(word)}
      </span>
      <div className="-ml-2 flex flex-wrap items-center gap-1">
        <SentCodeButton body={run.body} />
        {run.answer.text !== "" && <CopyButton text={run.answer.text} label={t("copyAnswer")} />}
        {children}
      </div>
    </div>
  );
}
