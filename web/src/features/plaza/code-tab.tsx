/**
 * *Code*: how to call this model from a shell, Python and TypeScript, ready
 * to paste; which of them is in the URL.
 */
import { useMemo } from "react";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { plazaTabsMessages } from "../../i18n/en/pages/plaza-tabs.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { CodeBlock, Copyable } from "../../ui/code.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { Card } from "../../ui/surfaces.tsx";
import {
  codeSample,
  isStreamed,
  type SampleLanguage,
  sampleLanguages,
} from "../playground/code/code-samples.ts";
import type { SampleOperation } from "../playground/code/sample-operations.ts";
import { useEndpoint } from "../playground/use-endpoint.ts";

const variants = ["plain", "stream", "safe", "both"] as const;
type Variant = (typeof variants)[number];
/** Of what has no streams. */
const unstreamed: readonly Variant[] = ["plain", "safe"];

const defaults = { lang: "curl", variant: "stream" };
const packages: Partial<Record<SampleLanguage, string>> = {
  python: "pip install openai",
  typescript: "npm install openai",
};

function oneOf<Value extends string>(values: readonly Value[], given: string, fallback: Value): Value {
  return values.find((value) => value === given) ?? fallback;
}

/** What a call of each kind asks. */
const bodyOf: Readonly<Record<SampleOperation, (prompt: string) => Readonly<Record<string, unknown>>>> = {
  chat: (prompt) => ({ messages: [{ role: "user", content: prompt }] }),
  completion: (prompt) => ({ prompt, max_tokens: 100 }),
  embeddings: (prompt) => ({ input: [prompt] }),
};

/** See above. */
export function CodeTab(asked: { readonly modelId: string; readonly operation: SampleOperation }) {
  const { modelId, operation } = asked;
  const t = useMessages(plazaTabsMessages);
  const tPlaza = useMessages(plazaMessages);
  const { account, installation } = useSession();
  const { baseUrl } = useEndpoint();
  const { values, set } = useFilters(defaults);
  const language = oneOf(sampleLanguages, values.lang, "curl");
  const offered = isStreamed(operation) ? variants : unstreamed;
  const variant: Variant = oneOf(offered, values.variant, offered === variants ? "stream" : "plain");
  const code = useMemo(() => {
    const isStream = variant === "stream" || variant === "both";
    const body = {
      model: modelId,
      ...bodyOf[operation](t("samplePrompt")),
      ...(isStream ? { stream: true } : {}),
    };
    const isSafe = variant === "safe" || variant === "both";
    return codeSample(language, { operation, baseUrl, body, isSafe });
  }, [language, variant, modelId, operation, baseUrl, t]);
  const needs = packages[language];
  return (
    <Card>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-3">
          <RadioGroup
            inline
            label={t("language")}
            value={language}
            onChange={(lang) => set({ lang })}
            choices={sampleLanguages.map((value) => ({ value, label: t(`language.${value}`) }))}
          />
          <RadioGroup
            inline
            label={t("variant")}
            value={variant}
            onChange={(next) => set({ variant: next })}
            choices={offered.map((value) => ({ value, label: t(`variant.${value}`) }))}
          />
        </div>
        <CodeBlock code={code} language={language === "curl" ? "bash" : language} />
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2 text-body text-muted">
          <span className="inline-flex min-w-0 items-center gap-2">
            {tPlaza("baseUrl")} <Copyable text={installation.baseUrl} label={tPlaza("copyBaseUrl")} />
          </span>
          {needs !== undefined && (
            <span className="inline-flex items-center gap-2">
              {t("install")} <Copyable text={needs} />
            </span>
          )}
          <span>{t("codeText")}</span>
          {account !== null && (
            <Link to="/keys" variant="plain" size="small">
              {t("getKey")}
            </Link>
          )}
        </div>
      </div>
    </Card>
  );
}
