/** System prompt and parameters. What is empty is not sent. */

import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Select, Switch } from "../../ui/inputs/choices.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { NumberInput, TextArea } from "../../ui/inputs/inputs.tsx";
import {
  type ChatParameters,
  countSet,
  schemaOf,
  stopsMax,
  stopsOf,
  unsetParameters,
} from "./chat/request.ts";
import { sampleTool, toolsOf } from "./chat/tools.ts";

/** The numbers, with the bounds OpenAI has for them. */
const numbers = [
  { name: "temperature", word: "p.temperature", min: 0, max: 2, step: "any" },
  { name: "topP", word: "p.topP", min: 0, max: 1, step: "any" },
  { name: "maxTokens", word: "p.maxTokens", min: 1, max: 10_000_000, step: 1 },
  { name: "seed", word: "p.seed", min: -2_147_483_648, max: Number.MAX_SAFE_INTEGER, step: 1 },
  { name: "frequencyPenalty", word: "p.frequencyPenalty", min: -2, max: 2, step: "any" },
  { name: "presencePenalty", word: "p.presencePenalty", min: -2, max: 2, step: "any" },
] as const;

const formats = ["text", "json_object", "json_schema"] as const;
const efforts = ["none", "minimal", "low", "medium", "high"] as const;

export interface ParameterPanelProps {
  readonly system: string;
  readonly parameters: ChatParameters;
  readonly onChange: (change: { readonly system?: string; readonly parameters?: ChatParameters }) => void;
}

/** See above. */
export function ParameterPanel({ system, parameters, onChange }: ParameterPanelProps) {
  const t = useMessages(playgroundMessages);
  const set = (change: Partial<ChatParameters>) => onChange({ parameters: { ...parameters, ...change } });
  return (
    <div className="flex flex-col gap-4">
      <Field label={t("system")} hint={t("systemHint")}>
        <TextArea value={system} onChange={(text) => onChange({ system: text })} rows={4} />
      </Field>
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3">
        <h3 className="font-semibold">{t("parameters")}</h3>
        {countSet(parameters) > 0 && (
          <Button variant="quiet" size="small" onClick={() => onChange({ parameters: unsetParameters })}>
            {t("p.reset")}
          </Button>
        )}
      </div>
      <p className="-mt-3 text-small text-muted">{t("parametersHint")}</p>
      <div className="grid grid-cols-2 gap-3">
        {numbers.map(({ name, word, min, max, step }) => (
          <Field key={name} label={t(word)}>
            <NumberInput
              value={parameters[name]}
              onChange={(value) => set({ [name]: value })}
              min={min}
              max={max}
              step={step}
              placeholder={t("p.notSent")}
            />
          </Field>
        ))}
      </div>
      <OtherParameters parameters={parameters} set={set} />
    </div>
  );
}

interface OtherParametersProps {
  readonly parameters: ChatParameters;
  readonly set: (change: Partial<ChatParameters>) => void;
}

function OtherParameters({ parameters, set }: OtherParametersProps) {
  const t = useMessages(playgroundMessages);
  const unset = { value: "", label: t("p.notSent") } as const;
  const isFaulty = parameters.responseFormat === "json_schema" && schemaOf(parameters.schema) === undefined;
  return (
    <>
      <Field label={t("p.effort")}>
        <Select
          value={parameters.reasoningEffort}
          onChange={(reasoningEffort) => set({ reasoningEffort })}
          choices={[unset, ...efforts.map((value) => ({ value, label: t(`effort.${value}`) }))]}
        />
      </Field>
      <Field label={t("p.format")}>
        <Select
          value={parameters.responseFormat}
          onChange={(responseFormat) => set({ responseFormat })}
          choices={[unset, ...formats.map((value) => ({ value, label: t(`format.${value}`) }))]}
        />
      </Field>
      {parameters.responseFormat === "json_schema" && (
        <Field label={t("p.schema")} error={isFaulty ? t("p.schemaFault") : undefined}>
          <TextArea
            value={parameters.schema}
            onChange={(schema) => set({ schema })}
            rows={6}
            mono
            placeholder={'{ "type": "object" }'}
          />
        </Field>
      )}
      <Field
        label={t("p.stop")}
        hint={t("p.stopHint")}
        error={stopsOf(parameters.stop).length > stopsMax ? t("p.stopTooMany") : undefined}
      >
        <TextArea
          value={parameters.stop}
          onChange={(stop) => set({ stop })}
          rows={2}
          mono
          placeholder={t("p.notSent")}
        />
      </Field>
      <ToolsField parameters={parameters} set={set} />
      <Switch label={t("p.stream")} value={parameters.stream} onChange={(stream) => set({ stream })} />
    </>
  );
}

function ToolsField({ parameters, set }: OtherParametersProps) {
  const t = useMessages(playgroundToolsMessages);
  const isFaulty = toolsOf(parameters.tools) === undefined;
  return (
    <Field
      label={t("tools")}
      hint={
        parameters.tools === "" ? (
          <button
            type="button"
            className="rounded text-accent hover:underline"
            onClick={() => set({ tools: sampleTool })}
          >
            {t("toolsSample")}
          </button>
        ) : (
          t("toolsHint")
        )
      }
      error={isFaulty ? t("toolsFault") : undefined}
    >
      <TextArea
        value={parameters.tools}
        onChange={(tools) => set({ tools })}
        rows={parameters.tools === "" ? 2 : 8}
        mono
        placeholder="[]"
      />
    </Field>
  );
}

/** True when a request can be made with these. */
export function areUsable(parameters: ChatParameters): boolean {
  const isFaulty = parameters.responseFormat === "json_schema" && schemaOf(parameters.schema) === undefined;
  const hasTools = toolsOf(parameters.tools) !== undefined;
  return !isFaulty && hasTools && stopsOf(parameters.stop).length <= stopsMax;
}
