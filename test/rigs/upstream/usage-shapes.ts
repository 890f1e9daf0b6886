/** Usage objects, valid and invalid, by name. The invalid ones are JSON texts because NaN is not JSON. */
import { usageOf } from "../harness/streams/chunk.ts";
import type { Plan } from "./plan.ts";

/** The usage object of a plan, with the details that real upstreams send. */
function soundUsage(plan: Plan, completionTokens: number): object {
  return usageOf(plan.promptTokens, completionTokens, {
    prompt_tokens_details: { cached_tokens: plan.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: plan.reasoningTokens, audio_tokens: 0 },
  });
}

/** JSON text of a plan's usage; undefined = none. */
export function usageText(plan: Plan, completionTokens: number, isAsked: boolean): string | undefined {
  switch (plan.usage) {
    case "absent":
      return undefined;
    case "negative":
      return '{"prompt_tokens":-5,"completion_tokens":-1,"total_tokens":-6}';
    case "huge":
      return '{"prompt_tokens":9007199254740993,"completion_tokens":1e18,"total_tokens":1e19}';
    case "nan":
      return '{"prompt_tokens":NaN,"completion_tokens":NaN,"total_tokens":NaN}';
    case "asked":
      return isAsked ? JSON.stringify(soundUsage(plan, completionTokens)) : undefined;
    default:
      return JSON.stringify(soundUsage(plan, completionTokens));
  }
}
