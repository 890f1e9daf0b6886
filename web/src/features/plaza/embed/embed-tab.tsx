/** *Try it* of a model for embeddings: texts to vectors, their size, tokens and price, which are alike. */
import { useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { refresh } from "../../../api/queries.ts";
import { staleAfterCall } from "../../../api/stale.ts";
import { formatCount } from "../../../format/count.ts";
import { formatMoney } from "../../../format/money.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaTabsMessages } from "../../../i18n/en/pages/plaza-tabs.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { serverText } from "../../../i18n/server-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/inputs/field.tsx";
import { TextArea } from "../../../ui/inputs/inputs.tsx";
import { ErrorNote } from "../../../ui/states.tsx";
import { Card, Notice } from "../../../ui/surfaces.tsx";
import type { Endpoint } from "../../playground/endpoint.ts";
import { KeyChoice, NeedsKey } from "../../playground/key-choice.tsx";
import { useEndpoint } from "../../playground/use-endpoint.ts";
import type { Keys } from "../../playground/use-keys.ts";
import type { PlazaModel } from "../models.ts";
import { type Embedded, embed, likeness, textsIn } from "./embed.ts";

/** What became of the last run. */
type Run =
  | { readonly state: "busy" }
  | { readonly state: "done"; readonly texts: readonly string[]; readonly embedded: Embedded }
  | { readonly state: "failed"; readonly thrown: unknown };

/** One run at a time; leaving the page stops it. */
function useEmbedding(endpoint: Endpoint) {
  const client = useQueryClient();
  const [run, setRun] = useState<Run | null>(null);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async (model: string, keyId: string, texts: readonly string[]) => {
    stop.current?.abort();
    const stopping = new AbortController();
    const { signal } = stopping;
    stop.current = stopping;
    setRun({ state: "busy" });
    try {
      const embedded = await embed(endpoint, { model, keyId, texts, signal });
      setRun({ state: "done", texts, embedded });
      await refresh(client, staleAfterCall);
    } catch (thrown) {
      if (!signal.aborted) setRun({ state: "failed", thrown });
    }
  };
  return { run, start };
}

/** See above. */
export function EmbedTab({ model }: { readonly model: PlazaModel }) {
  const t = useMessages(plazaTabsMessages);
  const sayPlaza = useMessages(plazaMessages);
  if (model.status === "unpriced") {
    return (
      <Card>
        <Notice tone="warn" title={t("notCallable")}>
          {sayPlaza("statusHint.unpriced")}
        </Notice>
      </Card>
    );
  }
  return <NeedsKey models={[model.id]}>{(keys) => <EmbedDesk model={model} keys={keys} />}</NeedsKey>;
}

function EmbedDesk({ model, keys }: { readonly model: PlazaModel; readonly keys: Keys }) {
  const t = useMessages(plazaTabsMessages);
  const language = useLanguage();
  const [text, setText] = useState(() => t("embedSample"));
  const { run, start } = useEmbedding(useEndpoint());
  const texts = textsIn(text);
  const keyId = keys.chosen?.id;
  const canRun = run?.state !== "busy" && keyId !== undefined && texts.length > 0;
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (canRun && keyId !== undefined) void start(model.id, keyId, texts);
          }}
        >
          <Field label={t("embedText")} hint={t("embedTexts")}>
            <TextArea value={text} onChange={setText} rows={4} />
          </Field>
          <div className="flex flex-wrap items-end gap-3">
            <KeyChoice keys={keys} models={[model.id]} className="min-w-48 flex-1" />
            <Button
              type="submit"
              variant="primary"
              icon={<Play aria-hidden className="size-4" />}
              disabled={!canRun}
            >
              {t("run")}
            </Button>
          </div>
        </form>
      </Card>
      {run?.state === "failed" && <ErrorNote error={run.thrown} />}
      {run?.state === "done" && run.embedded.fault !== null && (
        <Notice tone="bad" title={run.embedded.fault.code}>
          {serverText(run.embedded.fault.message, language, run.embedded.fault.messageRef)}
        </Notice>
      )}
      {run?.state === "done" && run.embedded.fault === null && (
        <Vectors texts={run.texts} embedded={run.embedded} />
      )}
    </div>
  );
}

function Vectors({ texts, embedded }: { readonly texts: readonly string[]; readonly embedded: Embedded }) {
  const t = useMessages(plazaTabsMessages);
  const language = useLanguage();
  const { vectors, tokens, charge } = embedded;
  const [first] = vectors;
  const figures = [
    t("embedVectors", {
      count: formatCount(vectors.length, language),
      size: formatCount(first?.length ?? 0, language),
    }),
    ...(tokens === null ? [] : [t("embedTokens", { count: formatCount(tokens, language) })]),
    ...(charge === null ? [] : [t("embedPaid", { money: formatMoney(charge) })]),
  ];
  return (
    <Card title={figures.join(" · ")}>
      <p className="mb-3 text-small text-muted">{t("embedNear")}</p>
      <ul className="flex flex-col gap-2">
        {vectors.map((vector, index) => {
          const near = first === undefined ? 0 : likeness(first, vector);
          return (
            // The texts of a run do not move.
            // biome-ignore lint/suspicious/noArrayIndexKey: two texts may be the same
            <li key={index} className="flex items-baseline gap-3">
              <span className="figure w-12 shrink-0 text-end tabular-nums">{near.toFixed(2)}</span>
              <span dir="auto" className="min-w-0 truncate">
                {texts[index]}
              </span>
              <code className="ms-auto shrink-0 text-tiny text-faint">
                {[...vector.slice(0, 3)].map((value) => value.toFixed(4)).join(", ")}…
              </code>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
