/**
 * What came back from the first call: the answer as it streams, what it
 * took and cost, and what a client needs.
 */
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { startMessages } from "../../i18n/en/start.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { useSession } from "../../shell/session.ts";
import { CodeBlock, Copyable } from "../../ui/code.tsx";
import { Duration, Money, Unknown } from "../../ui/figures.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { Facts, Notice } from "../../ui/surfaces.tsx";
import type { ChatRun } from "../playground/chat/run-chat.ts";
import { codeSample, type SampleLanguage } from "../playground/code/code-samples.ts";
import { firstBody } from "./first-call.ts";

export interface CallResultProps {
  readonly run: ChatRun;
  readonly prompt: string;
  readonly secret: string | null;
}

/** See above. */
export function CallResult({ run, prompt, secret }: CallResultProps) {
  const t = useMessages(startMessages);
  const text = run.answer.text === "" ? run.answer.refusal : run.answer.text;
  const isOver = run.state !== "waiting" && run.state !== "streaming";
  return (
    <div className="flex flex-col gap-4">
      {(text !== "" || !isOver) && (
        <section aria-label={t("answer")} aria-busy={!isOver} className="rounded-xl bg-sunken px-4 py-3">
          {text === "" && run.state === "waiting" ? (
            <p className="text-muted">{t("waiting")}</p>
          ) : (
            <p dir="auto" className="whitespace-pre-wrap">
              {text}
            </p>
          )}
        </section>
      )}
      <Fault run={run} />
      {isOver && run.requestId !== null && <Measured run={run} />}
      {run.state === "complete" && secret !== null && (
        <ForClients run={run} prompt={prompt} secret={secret} />
      )}
    </div>
  );
}

function Fault({ run }: { readonly run: ChatRun }) {
  const t = useMessages(startMessages);
  const language = useLanguage();
  if (run.fault === null) return null;
  if (run.fault.code === "insufficient_balance") return null;
  const title = run.state === "cut" ? t("cut") : t("refused");
  const text =
    run.fault.code === "network_lost"
      ? t("lost")
      : serverText(run.fault.message, language, run.fault.messageRef);
  return (
    <div role="alert">
      <Notice tone="bad" title={title}>
        {text}
      </Notice>
    </div>
  );
}

function Measured({ run }: { readonly run: ChatRun }) {
  const t = useMessages(startMessages);
  const record = run.record === "asking" ? null : run.record;
  const usage = record?.usage ?? null;
  const input = usage === null ? 0 : usage.input + usage.cached_input + usage.cache_write;
  const request = [t("request"), <Copyable key="request" text={run.requestId ?? ""} />] as const;
  if (run.state === "failed") return <Facts rows={[request]} />;
  return (
    <Facts
      rows={[
        [t("firstToken"), <Duration key="first" ms={run.firstTokenMs} />],
        [t("duration"), <Duration key="all" ms={run.durationMs} />],
        [
          t("tokens"),
          usage === null ? <Unknown key="tokens" /> : t("tokensText", { input, output: usage.output }),
        ],
        [t("charge"), <Money key="charge" value={record?.charge ?? null} exact />],
        request,
      ]}
    />
  );
}

/** Python first: most callers use it. */
const sampleChoices: readonly { readonly value: SampleLanguage; readonly label: string }[] = [
  { value: "python", label: "Python" },
  { value: "typescript", label: "TypeScript" },
  { value: "curl", label: "curl" },
];

interface ForClientsProps {
  readonly run: ChatRun;
  readonly prompt: string;
  readonly secret: string;
}

function ForClients({ run, prompt, secret }: ForClientsProps) {
  const t = useMessages(startMessages);
  const { installation } = useSession();
  const [language, setLanguage] = useState<SampleLanguage>("python");
  const code = codeSample(language, {
    baseUrl: installation.baseUrl,
    body: firstBody(run.model, prompt),
    text: run.body,
  });
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="good" icon={<CircleCheck />} title={t("doneTitle")}>
        {t("doneText")}
      </Notice>
      <Facts
        rows={[
          [t("baseUrl"), <Copyable key="url" text={installation.baseUrl} label={t("copyBaseUrl")} />],
          [t("key"), <Copyable key="key" text={secret} label={t("copyKey")} />],
        ]}
      />
      <div>
        <div className="mb-1.5 flex flex-wrap items-center justify-between gap-2">
          <h2 className="font-medium">{t("sample")}</h2>
          <RadioGroup
            inline
            label={t("sampleLanguage")}
            value={language}
            choices={sampleChoices}
            onChange={setLanguage}
          />
        </div>
        <CodeBlock
          code={language === "curl" ? code.replace("$PLAZA_API_KEY", secret) : code}
          language={language === "curl" ? "bash" : language}
        />
      </div>
    </div>
  );
}
