/**
 * How an upstream is doing, in one word for the list: the server says it, but of those
 * no process speaks of. Knows no words.
 */
import type { Answer } from "../../api/routes.ts";

type ReportedState = Answer<"get /operator/upstream-states">["upstreams"][number];

/** `unused`: no process has said anything about it. */
export type Standing = Omit<ReportedState, "id" | "kind"> & {
  readonly kind: ReportedState["kind"] | "unused";
};

const unused: Standing = { kind: "unused", count: 0, inFlight: 0 };

/** Of an upstream of the catalog. */
export function standingOf(reported: readonly ReportedState[] | undefined, id: string): Standing {
  return reported?.find((one) => one.id === id) ?? unused;
}
