/**
 * Checks whether a model's upstreams support its operations. An operation that none of them supports gets a
 * warning, because callers would be refused.
 */
import type { Model, Upstream } from "@plaza/contract/catalog.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { type Operation, operationsOf } from "@plaza/contract/operations.ts";

/** True when the upstream does not support the operation. */
export type LacksOperation = (
  upstream: Pick<Upstream, "provider" | "preset">,
  operation: Operation,
) => boolean;

/** Used without knowledge of upstreams: everything is supported. */
export const lacksNothing: LacksOperation = () => false;

/** The warning for a model; undefined when some deployment supports each of its operations. */
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
