/**
 * Removes from a request the one parameter an upstream refused by name, so that it can be tried again. The
 * endpoint says which parameters may be dropped.
 */
import { cutsOf, membersOf } from "../../lib/json/spans.ts";
import { splice } from "../../lib/json/splice.ts";
import type { Fault, ProviderRequest, Span } from "../../protocols/protocol.ts";

/** Error codes of upstreams that refuse a parameter or its value. */
const codes: ReadonlySet<string> = new Set([
  "unsupported_parameter",
  "unsupported_value",
  "unknown_parameter",
]);

/** The body without a parameter, and the spans of the remaining fields in it. */
export interface Lesser {
  readonly name: string;
  readonly body: Buffer;
  readonly spans: ProviderRequest["spans"];
}

/** Returns the droppable parameter that the fault names; undefined otherwise. */
function namedBy({ kind, code, param }: Fault, droppable: ReadonlySet<string>): string | undefined {
  const isAbout = kind === "unsupported" || (kind === "bad_request" && code !== undefined && codes.has(code));
  return isAbout && param !== undefined && droppable.has(param) ? param : undefined;
}

/** Removes the parameter the fault names; undefined when it may not be dropped or was not sent. */
export function withoutParam(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  fault: Fault,
  droppable: ReadonlySet<string>,
): Lesser | undefined {
  const name = namedBy(fault, droppable);
  return name === undefined ? undefined : cutParam({ body, spans }, name);
}

/** Removes a parameter; undefined when it was not sent. */
export function cutParam(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  name: string,
): Lesser | undefined {
  const [cut] = cutsOf(membersOf(body, 0), (member) => member.name === name);
  if (cut === undefined) return undefined;
  return { name, body: splice(body, [{ ...cut, text: "" }]), spans: movedSpans(spans, cut) };
}

/** The spans of fields after some bytes were cut out of the body. None of them is inside the cut. */
export function movedSpans(spans: ProviderRequest["spans"], cut: Span): ProviderRequest["spans"] {
  const length = cut.end - cut.start;
  const moved = ({ start, end }: Span): Span =>
    start < cut.start ? { start, end } : { start: start - length, end: end - length };
  // Most fields have one span; output limits have a list of them.
  const places: Readonly<Record<string, Span | readonly Span[] | undefined>> = { ...spans };
  const left = Object.entries(places).map(([field, place]) => [
    field,
    place === undefined ? undefined : "start" in place ? moved(place) : place.map(moved),
  ]);
  return Object.fromEntries(left) as ProviderRequest["spans"];
}

/** How long a refusal is remembered, in milliseconds. */
const believedMs = 10 * 60_000;

/**
 * Remembers the parameter each deployment refused last, so that not every request is refused once. Holds only
 * parameters that callers do not miss. Keyed by the snapshot's deployment object.
 */
export class RefusedParams {
  readonly #refused = new WeakMap<object, { readonly name: string; readonly untilMs: number }>();

  note(deployment: object, name: string, nowMs: number): void {
    this.#refused.set(deployment, { name, untilMs: nowMs + believedMs });
  }

  of(deployment: object, nowMs: number): string | undefined {
    const known = this.#refused.get(deployment);
    return known === undefined || nowMs >= known.untilMs ? undefined : known.name;
  }
}
