/**
 * A request once more without the one parameter an upstream refused by name, for callers that allow
 * parameters to be dropped. Which may be is the endpoint's to say.
 */
import { cutsOf, membersOf } from "../../lib/json/spans.ts";
import { splice } from "../../lib/json/splice.ts";
import type { Fault, ProviderRequest, Span } from "../../protocols/protocol.ts";

/** What an upstream's 400 says of a parameter it does not take, or not with this value. */
const codes: ReadonlySet<string> = new Set([
  "unsupported_parameter",
  "unsupported_value",
  "unknown_parameter",
]);

/** The body without a parameter, and where what is left of the fields lies in it. */
export interface Lesser {
  readonly name: string;
  readonly body: Buffer;
  readonly spans: ProviderRequest["spans"];
}

/** The name of the droppable parameter a fault is about. */
function namedBy({ kind, code, param }: Fault, droppable: ReadonlySet<string>): string | undefined {
  const isAbout = kind === "unsupported" || (kind === "bad_request" && code !== undefined && codes.has(code));
  return isAbout && param !== undefined && droppable.has(param) ? param : undefined;
}

/**
 * The request without what the fault names; undefined: it names nothing that may
 * be dropped, or nothing that was sent.
 */
export function withoutParam(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  fault: Fault,
  droppable: ReadonlySet<string>,
): Lesser | undefined {
  const name = namedBy(fault, droppable);
  return name === undefined ? undefined : cutParam({ body, spans }, name);
}

/** The request without a parameter; undefined: it was not sent. */
export function cutParam(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  name: string,
): Lesser | undefined {
  const [cut] = cutsOf(membersOf(body, 0), (member) => member.name === name);
  if (cut === undefined) return undefined;
  const length = cut.end - cut.start;
  const moved = ({ start, end }: Span): Span =>
    start < cut.start ? { start, end } : { start: start - length, end: end - length };
  // A field lies in one place; all bounds of the output together are a list of places.
  const places: Readonly<Record<string, Span | readonly Span[] | undefined>> = { ...spans };
  const left = Object.entries(places).map(([field, place]) => [
    field,
    place === undefined ? undefined : "start" in place ? moved(place) : place.map(moved),
  ]);
  return {
    name,
    body: splice(body, [{ ...cut, text: "" }]),
    spans: Object.fromEntries(left) as Lesser["spans"],
  };
}

/** How long a refusal is believed. Milliseconds. */
const believedMs = 10 * 60_000;

/**
 * The parameter each deployment refused last, of those that callers do not lose by: it is not sent there for
 * some minutes, so that not every request is refused once. A deployment is the object a snapshot has of it.
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
