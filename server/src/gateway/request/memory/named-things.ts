/**
 * Ids of what upstreams keep of answers, for endpoints whose requests may name it: they go on for the account
 * that got them, at the upstream that has it. Kept in the account's memory of earlier answers.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Answered, Resolved } from "../phases.ts";
import { deploymentNameOf, tiedTo } from "../tied.ts";
import type { ReplayMemories } from "./replay-memory.ts";

export interface NamedThingsContext {
  readonly memories: ReplayMemories;
}

const nameOf = (id: string): string => `kept by an upstream ${id}`;

/**
 * The call at the upstream that has what it names; undefined where it names nothing. Rejects with `not_found`
 * for an id that this account did not get, or no longer; takes at most as long as a look into the store may.
 */
export function requireNamed(
  { memories }: NamedThingsContext,
  phase: Resolved,
): Promise<Resolved> | undefined {
  const { endpoint, read, call } = phase;
  const things = endpoint.named?.inRequest(read.fields, read.body) ?? [];
  if (things.length === 0) return undefined;
  const memory = memories.of(call.caller.key.accountId);
  const recall = (): (string | undefined)[] => things.map(({ id }) => memory.recall(nameOf(id)));
  return (async () => {
    let makers = recall();
    if (makers.includes(undefined) && (await memory.lookUp()) === true) makers = recall();
    const ties = things.map(({ param }, index) => {
      const deployment = makers[index];
      if (deployment !== undefined) return { param, deployment };
      throw new GatewayError("not_found", { message: message("call.upstreamIdUnknown", { param }), param });
    });
    return tiedTo(phase, ties);
  })();
}

/** Notes what the upstream keeps of an answer. */
export function noteNamed({ memories }: NamedThingsContext, phase: Answered): void {
  const { endpoint, outcome, read, call } = phase;
  const { end, live } = outcome.dispatched;
  if (endpoint.named === undefined || live === undefined) return;
  if (end.kind !== "answer" && end.kind !== "stream") return;
  const ids = end.kind === "stream" ? end.keptIds : endpoint.named.inAnswer(read.fields, end.body);
  if (ids === undefined || ids.length === 0) return;
  const memory = memories.of(call.caller.key.accountId);
  for (const id of ids) memory.remember(nameOf(id), deploymentNameOf(live));
}
