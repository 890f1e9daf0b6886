/**
 * Which betas of a caller of Messages go on to Claude in Converse, where they stand in the body. Bedrock
 * refuses a beta it does not know (docs/wire/anthropic-messages.md section 15).
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { ConverseBody } from "../../protocols/bedrock-converse/wire.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { betasOf } from "../anthropic/forwarded.ts";

const takenBetas: ReadonlySet<string> = new Set([
  "computer-use",
  "context-1m",
  "effort",
  "fine-grained-tool-streaming",
  "structured-outputs",
  "thinking-binding-controls",
  "thinking-display-updates",
]);

const betaInConverse = (beta: string): string | undefined =>
  takenBetas.has(beta.replace(/-\d{4}-\d{2}-\d{2}$/, "")) ? beta : undefined;

/** The body with the betas that Converse takes of this model, and those that are left out, to be told. */
export function withBetas(
  body: ConverseBody,
  request: ProviderRequest,
  upstream: Upstream,
  model: string,
): { readonly body: ConverseBody; readonly dropped: readonly string[] } {
  // Models of other makers know no betas: there they are ignored.
  if (request.forwarded === undefined || !model.includes("claude")) return { body, dropped: [] };
  const { sent, dropped } = betasOf(request, upstream, betaInConverse);
  if (sent.length === 0) return { body, dropped };
  const additionalModelRequestFields = { ...body.additionalModelRequestFields, anthropic_beta: sent };
  return { body: { ...body, additionalModelRequestFields }, dropped };
}
