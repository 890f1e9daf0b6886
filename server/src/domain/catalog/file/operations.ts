/**
 * Whether a model's upstreams can be called for what it is for. An operation that none of them serves is
 * told: callers would be refused.
 */
import type { Model, Upstream } from "@plaza/contract/catalog.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { type Operation, operationsOf } from "@plaza/contract/operations.ts";

/** Can an operation not be called at such an upstream? */
export type LacksOperation = (
  upstream: Pick<Upstream, "provider" | "preset">,
  operation: Operation,
) => boolean;

/** Nobody knows better: everything is served. */
export const lacksNothing: LacksOperation = () => false;

/** What is told of a model; undefined: each of its operations is served by some deployment. */
export function operationLacking(
  model: Model,
  upstreamOf: (id: string) => Pick<Upstream, "provider" | "preset"> | undefined,
  lacks: LacksOperation,
): Message | undefined {
  const upstreams = model.deployments.flatMap(({ upstream }) => upstreamOf(upstream) ?? []);
  if (upstreams.length === 0) return undefined;
  const lacking = operationsOf(model).filter((operation) =>
    upstreams.every((upstream) => lacks(upstream, operation)),
  );
  return lacking.length === 0
    ? undefined
    : message("file.operationLacking", { operations: lacking.join(" and ") });
}
