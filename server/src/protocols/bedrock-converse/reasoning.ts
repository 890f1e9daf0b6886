/**
 * Encodes the requested thinking (`reasoning_effort` and related settings) as native fields
 * (docs/wire/bedrock-converse.md section 2).
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { JsonRecord } from "../../lib/record.ts";
import { planThinking, type ThinkingCircumstances } from "../claude/thinking.ts";
import type { ThoughtBlock } from "../claude/thoughts.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid } from "../untranslatable.ts";
import type { ModelRules } from "./models.ts";
import type { ReasoningBlock } from "./wire.ts";

export interface ReasoningPlan {
  /** Native fields that request it. */
  readonly fields: JsonRecord;
  /**
   * True when the model thinks in a way that takes its signed thoughts back and excludes sampling parameters.
   */
  readonly isThinking: boolean;
}

const scale = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The highest effort the model knows that is not above this one; else its lowest. */
function nearest(effort: string, known: readonly string[]): string | undefined {
  const at = scale.indexOf(effort);
  return known.findLast((name) => scale.indexOf(name) <= at) ?? known[0];
}

const unasked: ReasoningPlan = { fields: {}, isThinking: false };

/** The native fields for the caller's thinking request. */
export function planReasoning(
  conversation: Conversation,
  { reasoning }: ModelRules,
  circumstances: ThinkingCircumstances,
  leftovers: Leftovers,
): ReasoningPlan {
  if (reasoning?.kind === "claude") {
    const { thinking, effort, isOn } = planThinking(conversation, reasoning.facts, circumstances, leftovers);
    const fields = {
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
    };
    return { fields, isThinking: isOn };
  }
  const { effort } = conversation.reasoning;
  const param = conversation.names.effort;
  if (effort === undefined) return unasked;
  if (!scale.includes(effort)) {
    throw invalid(param, message("wire.effortOneOf", { param, efforts: scale.join(", ") }));
  }
  if (effort === "none" && (reasoning === undefined || reasoning.isOffUnasked)) return unasked;
  if (reasoning === undefined || (effort === "none" && !reasoning.efforts.includes("none"))) {
    const why = reasoning === undefined ? message("wire.noReasoning") : message("wire.alwaysReasons");
    leftovers.leaveOutOr(conversation.reasoning.isOptional, param, why);
    return unasked;
  }
  const said = nearest(effort, reasoning.efforts);
  const fields = {
    effort: { reasoning_effort: said },
    "reasoning object": { reasoning: { effort: said } },
    reasoningConfig: { reasoningConfig: { type: "enabled", maxReasoningEffort: said } },
  }[reasoning.kind];
  return { fields, isThinking: false };
}

/** A signed thought in Converse's format. */
export const thoughtBlock = (thought: ThoughtBlock): ReasoningBlock =>
  thought.type === "thinking"
    ? { reasoningContent: { reasoningText: { text: thought.thinking, signature: thought.signature } } }
    : { reasoningContent: { redactedContent: thought.data } };
