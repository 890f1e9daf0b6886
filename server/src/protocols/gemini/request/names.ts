/** Gemini's names of a conversation's settings (docs/wire/gemini.md sections 2 and 12). */
import type { Parameter, SettingName, SettingNames } from "../../../conversation/conversation.ts";
import type { JsonRecord } from "../../../lib/record.ts";
import { membersOf, numberIn } from "./spelling.ts";

/** Settings that Google lacks have a placeholder name; no request can contain them. */
export const names: SettingNames = {
  model: "model",
  fallbackModels: "models",
  turns: "contents",
  isStream: "stream",
  streamOptions: "streamOptions",
  choices: "generationConfig.candidateCount",
  outputTokens: "generationConfig.maxOutputTokens",
  stop: "generationConfig.stopSequences",
  tools: "tools",
  toolChoice: "toolConfig.functionCallingConfig",
  parallelCalls: "parallelToolCalls",
  format: "generationConfig.responseSchema",
  reasoning: "generationConfig.thinkingConfig",
  temperature: "generationConfig.temperature",
  topP: "generationConfig.topP",
  topK: "generationConfig.topK",
  seed: "generationConfig.seed",
  presencePenalty: "generationConfig.presencePenalty",
  frequencyPenalty: "generationConfig.frequencyPenalty",
  logitBias: "logitBias",
  logprobs: "generationConfig.responseLogprobs",
  logprobAlternatives: "generationConfig.logprobs",
  modalities: "generationConfig.responseModalities",
  webSearch: "tools",
  serviceTier: "serviceTier",
  verbosity: "verbosity",
  prediction: "prediction",
  store: "store",
  metadata: "labels",
  user: "user",
  safetyIdentifier: "safetyIdentifier",
  promptCacheKey: "promptCacheKey",
  promptCacheRetention: "promptCacheRetention",
  promptCacheOptions: "promptCacheOptions",
  cache: "cachedContent",
  effort: "generationConfig.thinkingConfig.thinkingLevel",
  reasoningBudget: "generationConfig.thinkingConfig.thinkingBudget",
};

const topFields: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ["model", "model"],
  ["contents", "turns"],
  ["systemInstruction", "turns"],
  ["safetySettings", "manner"],
  ["labels", "metadata"],
  ["serviceTier", "serviceTier"],
]);

const configFields: ReadonlyMap<string, SettingName> = new Map<string, SettingName>([
  ["temperature", "temperature"],
  ["topP", "topP"],
  ["topK", "topK"],
  ["candidateCount", "choices"],
  ["maxOutputTokens", "outputTokens"],
  ["stopSequences", "stop"],
  ["seed", "seed"],
  ["presencePenalty", "presencePenalty"],
  ["frequencyPenalty", "frequencyPenalty"],
  ["responseSchema", "format"],
  ["responseJsonSchema", "format"],
  ["responseLogprobs", "logprobs"],
  ["logprobs", "logprobAlternatives"],
  ["responseModalities", "modalities"],
  ["thinkingConfig", "reasoning"],
  ["mediaResolution", "manner"],
  ["audioTimestamp", "manner"],
  ["enableEnhancedCivicAnswers", "manner"],
  ["routingConfig", "manner"],
  ["modelSelectionConfig", "manner"],
]);

const tiers: Readonly<Record<string, string>> = { standard: "default", flex: "flex", priority: "priority" };

/** Converts values to the terms shared by all protocols. */
function sharedValue(setting: SettingName | undefined, value: unknown): unknown {
  if (setting === "modalities" && Array.isArray(value))
    return value.map((one: unknown) => String(one).toLowerCase());
  if (setting === "serviceTier") {
    const tier = String(value).toLowerCase();
    return Object.hasOwn(tiers, tier) ? tiers[tier] : tier;
  }
  if (setting === "logprobAlternatives") return numberIn(value) ?? value;
  return value;
}

/** Other media types of the answer exist only at Google. */
const formats = new Set<unknown>(["text/plain", "application/json"]);

function ofConfig(config: unknown): Parameter[] {
  return Object.entries(membersOf(config)).map(([member, value]): Parameter => {
    const name = `generationConfig.${member.slice(0, 100)}`;
    const isFormat = member === "responseMimeType" && formats.has(value);
    const setting = isFormat ? "format" : configFields.get(member);
    return { name, setting, value: sharedValue(setting, value) };
  });
}

/** Tools that run at Google, by path; no other upstream can run them. */
function ofTools(tools: unknown): Parameter[] {
  const hosted = (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index) =>
    Object.entries(membersOf(tool))
      .filter(([member]) => member !== "functionDeclarations")
      .map(([member, value]): Parameter => {
        return { name: `tools[${index}].${member.slice(0, 100)}`, setting: undefined, value };
      }),
  );
  return [{ name: "tools", setting: "tools", value: tools }, ...hosted];
}

function ofToolConfig(config: unknown): Parameter[] {
  return Object.entries(membersOf(config)).map(([member, value]): Parameter => {
    const setting = member === "functionCallingConfig" ? "toolChoice" : "manner";
    return { name: `toolConfig.${member.slice(0, 100)}`, setting, value };
  });
}

/** Every setting of the request, in its order. `raw`: with camel case names. */
export function parametersOf(raw: JsonRecord): Parameter[] {
  return Object.entries(raw).flatMap(([name, value]): Parameter[] => {
    if (name === "generationConfig") return ofConfig(value);
    if (name === "tools") return ofTools(value);
    if (name === "toolConfig") return ofToolConfig(value);
    const setting = topFields.get(name);
    // The turns' value is not kept a second time: it is nearly the whole body.
    return [
      {
        name: name.slice(0, 100),
        setting,
        value: setting === "turns" ? undefined : sharedValue(setting, value),
      },
    ];
  });
}
