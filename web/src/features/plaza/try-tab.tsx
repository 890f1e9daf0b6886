/** *Try it*: one prompt to a model, or to several beside each other; real calls with the chosen key. */
import { useQueryClient } from "@tanstack/react-query";
import { Play, Square, X } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { refresh } from "../../api/queries.ts";
import { staleAfterCall } from "../../api/stale.ts";
import { formatCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { plazaTabsMessages } from "../../i18n/en/pages/plaza-tabs.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextArea } from "../../ui/inputs/inputs.tsx";
import { Card, Notice } from "../../ui/surfaces.tsx";
import { AnswerView } from "../playground/answer-view.tsx";
import { type LiveRun, startRun } from "../playground/chat/live-run.ts";
import { bodyText, chatBody, unsetParameters } from "../playground/chat/request.ts";
import { type ChatRun, isRunning } from "../playground/chat/run-chat.ts";
import { KeyChoice, NeedsKey } from "../playground/key-choice.tsx";
import { LimitsNow } from "../playground/limits-now.tsx";
import { ModelChoice } from "../playground/model-choice.tsx";
import { useEndpoint } from "../playground/use-endpoint.ts";
import type { Keys } from "../playground/use-keys.ts";
import { costOf, estimateTokens } from "./cost.ts";
import type { PlazaModel } from "./models.ts";

/** One run for each model, started together. Leaving the page stops running requests. */
function useRuns() {
  const endpoint = useEndpoint();
  const client = useQueryClient();
  const [runs, setRuns] = useState<Readonly<Record<string, ChatRun>>>({});
  const live = useRef<LiveRun[]>([]);
  const stop = useCallback(() => {
    for (const one of live.current) one.stop();
  }, []);
  useEffect(() => stop, [stop]);
  const start = (models: readonly string[], keyId: string, prompt: string) => {
    setRuns({});
    live.current = models.map((model) => {
      const message = { role: "user", text: prompt, images: [] } as const;
      const body = bodyText(chatBody(model, "", [message], unsetParameters));
      return startRun(endpoint, { model, keyId, body }, (run) =>
        setRuns((now) => ({ ...now, [model]: run })),
      );
    });
    void Promise.all(live.current.map(({ done }) => done)).then(
      async () =>
        await Promise.all([
          refresh(client, staleAfterCall),
          client.invalidateQueries({ queryKey: ["limits-left"] }),
        ]),
    );
  };
  return { runs, start, stop, isBusy: Object.values(runs).some(isRunning) };
}

/** What the prompt alone would cost, before anything is sent. */
function Estimate({ model, prompt }: { readonly model: PlazaModel; readonly prompt: string }) {
  const t = useMessages(plazaTabsMessages);
  const language = useLanguage();
  const text = useMemo(() => {
    const tokens = estimateTokens(prompt);
    const about = t("promptAbout", { count: formatCount(tokens, language) });
    if (model.price === null) return about;
    const ask = costOf(model.price, { prompt: tokens, cached: 0, output: 0 });
    const output = costOf(model.price, { prompt: tokens, cached: 0, output: 1_000 });
    return [
      about,
      t("promptCost", { money: formatMoney(ask.total) }),
      t("perThousand", { money: formatMoney(output.output) }),
    ].join(" · ");
  }, [model, prompt, t, language]);
  return (
    <p className="text-small text-muted">
      {t("beforeSending")} {text}
    </p>
  );
}

export interface TryTabProps {
  readonly models: readonly PlazaModel[];
  /** Below the prompt: a choice of a second model. */
  readonly also?: ReactNode;
}

/** See above. `models` are one to four. */
export function TryTab({ models, also }: TryTabProps) {
  const t = useMessages(plazaTabsMessages);
  const tPlaza = useMessages(plazaMessages);
  const closed = models.filter(({ status }) => status === "unpriced");
  if (closed.length > 0) {
    return (
      <Card>
        {closed.map((model) => (
          <Notice
            key={model.id}
            tone="warn"
            title={models.length === 1 ? t("notCallable") : `${model.name}: ${t("notCallable")}`}
          >
            {tPlaza("statusHint.unpriced")}
          </Notice>
        ))}
      </Card>
    );
  }
  return (
    <>
      {models.map(
        (model) =>
          (model.status === "down" || model.status === "degraded") && (
            <Notice key={model.id} tone="warn" title={`${model.name}: ${tPlaza(`status.${model.status}`)}`}>
              {tPlaza(`statusHint.${model.status}`)}
            </Notice>
          ),
      )}
      <NeedsKey models={models.map(({ id }) => id)}>
        {(keys) => <TryDesk keys={keys} models={models} also={also} />}
      </NeedsKey>
    </>
  );
}

function TryDesk({ keys, models, also }: TryTabProps & { readonly keys: Keys }) {
  const t = useMessages(plazaTabsMessages);
  const [prompt, setPrompt] = useState(() => t("samplePrompt"));
  const { runs, start, stop, isBusy } = useRuns();
  const keyId = keys.chosen?.id;
  const canRun = !isBusy && keyId !== undefined && prompt.trim() !== "";
  const run = () => {
    if (canRun && keyId !== undefined)
      start(
        models.map(({ id }) => id),
        keyId,
        prompt,
      );
  };
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          <Field label={t("prompt")}>
            <TextArea value={prompt} onChange={setPrompt} rows={4} placeholder={t("promptPlaceholder")} />
          </Field>
          {models.map((model) => (
            <div key={model.id}>
              {models.length > 1 && <span className="text-small font-medium">{model.name}. </span>}
              <Estimate model={model} prompt={prompt} />
            </div>
          ))}
          <div className="flex flex-wrap items-end gap-3">
            <KeyChoice keys={keys} models={models.map(({ id }) => id)} className="min-w-48 flex-1" />
            {also}
            {isBusy ? (
              <Button icon={<Square aria-hidden className="size-3.5 fill-current" />} onClick={stop}>
                {t("stop")}
              </Button>
            ) : (
              <Button
                type="submit"
                variant="primary"
                icon={<Play aria-hidden className="size-4" />}
                disabled={!canRun}
              >
                {t(models.length > 2 ? "runAll" : models.length > 1 ? "runBoth" : "run")}
              </Button>
            )}
          </div>
        </form>
      </Card>
      <Answers models={models} runs={runs} />
    </div>
  );
}

function Answers({
  models,
  runs,
}: {
  readonly models: readonly PlazaModel[];
  readonly runs: Readonly<Record<string, ChatRun>>;
}) {
  const shown = models.filter(({ id }) => runs[id] !== undefined);
  if (shown.length === 0) return null;
  return (
    <div className={models.length > 1 ? "grid gap-4 lg:grid-cols-2" : "grid gap-4"}>
      {shown.map((model) => {
        const run = runs[model.id] as ChatRun;
        return (
          <Card key={model.id} title={model.name}>
            <AnswerView run={run} />
            {run.limits !== null && (
              <div className="mt-4 border-t border-line pt-4">
                <LimitsNow limits={run.limits} />
              </div>
            )}
          </Card>
        );
      })}
    </div>
  );
}

export interface SecondModelProps {
  readonly first: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** The choice of a model beside which this one is tried. */
export function SecondModel({ first, value, onChange }: SecondModelProps) {
  const t = useMessages(plazaTabsMessages);
  return (
    <div className="flex min-w-48 flex-1 items-end gap-1">
      <ModelChoice
        label={t("compareWith")}
        value={value}
        onChange={onChange}
        except={first}
        className="flex-1"
      />
      {value !== "" && (
        <IconButton label={t("removeSecond")} onClick={() => onChange("")}>
          <X aria-hidden className="size-4" />
        </IconButton>
      )}
    </div>
  );
}
