/** A whole message of Anthropic's (docs/wire/anthropic-messages.md section 3) → a chat completion. */

import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, recordOf } from "../../lib/record.ts";
import { factsOf } from "../claude/models.ts";
import { MessageBuilder } from "../openai-chat/message.ts";
import type { AnswerContext } from "../protocol.ts";
import { answerRules, ClaudeAnswer } from "./answer.ts";

/** Deeper nested bodies are no answers. */
const depthMax = 256;

/** The completion; undefined when the body is no message. `facts`: what was known of models when the request was written. */
export function translateWhole(
  body: Buffer,
  context: AnswerContext,
  facts: typeof factsOf = factsOf,
): Buffer | undefined {
  const text = body.toString("utf8");
  const message = isShallow(text, depthMax) ? recordOf(parseExact(text)) : {};
  const { content, model, stop_reason: reason, stop_details: details, usage } = message;
  if (!Array.isArray(content) || typeof reason !== "string" || message["type"] === "error") return undefined;
  const rules = answerRules(context.request, context.model, facts(context.model));
  const writer = new MessageBuilder({
    id: context.id,
    createdSeconds: context.createdSeconds,
    model: typeof model === "string" && model !== "" ? model : context.model,
    isLegacy: rules.isLegacy,
  });
  const answer = new ClaudeAnswer(writer, rules);
  content.forEach((block: unknown, place) => {
    answer.begin(place, recordOf(block));
    answer.end(place);
  });
  answer.finish(reason, details);
  if (isRecord(usage)) answer.usage(usage);
  return writer.build();
}
