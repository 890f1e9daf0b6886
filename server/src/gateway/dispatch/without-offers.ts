/**
 * Leaves out of a request what the caller only offers: tools that an upstream would run and bill by the call,
 * beside tools of the caller's own. Clients offer a web search unasked, and work without it.
 */
import { splice } from "../../lib/json/splice.ts";
import type { ProviderRequest, Span } from "../../protocols/protocol.ts";
import { isLetThrough } from "../../providers/charged-apart.ts";
import { movedSpans } from "./without-param.ts";

/** Something of a list in the body that may be left out. */
export interface Offer {
  /** Where it stands: a list and an index, with a member of that item where only that is left out. */
  readonly path: string;
  /** The bytes to remove, with one comma: what is left is a list. */
  readonly cut: Span;
}

const itemPath = /^([^[\].]+)\[(\d+)\]/;

/**
 * A path in a request without these pieces as the caller sent it: an index counts the items of its list that
 * were left out. `left`: in the order of the body.
 */
export function callersPath(path: string, left: readonly string[]): string {
  const [item, list, index] = itemPath.exec(path) ?? [];
  if (item === undefined) return path;
  let callers = Number(index);
  for (const piece of left) {
    const [, leftList, leftIndex] = itemPath.exec(piece) ?? [];
    if (leftList === list && Number(leftIndex) <= callers) callers += 1;
  }
  return `${list}[${callers}]${path.slice(item.length)}`;
}

/** Something to be cut out of a body, as an offer is. */
export type Piece = Offer;

/** A request without some pieces. `names`: their paths, for the caller. */
export interface WithoutPieces {
  readonly body: Buffer;
  readonly spans: ProviderRequest["spans"];
  readonly names: readonly string[];
}

/** The offers that this upstream's operator does not let through. */
export const barredOffers = (
  offers: readonly Offer[] | undefined,
  options: Readonly<Record<string, string>> | undefined,
): readonly Piece[] => offers?.filter(({ path }) => !isLetThrough(path, options)) ?? [];

/** The request without these pieces; undefined when there are none. No two of them overlap. */
export function withoutPieces(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  pieces: readonly Piece[],
): WithoutPieces | undefined {
  if (pieces.length === 0) return undefined;
  const inOrder = pieces.toSorted((one, other) => one.cut.start - other.cut.start);
  return {
    body: splice(
      body,
      inOrder.map(({ cut }) => ({ ...cut, text: "" })),
    ),
    spans: inOrder.reduceRight((moved, { cut }) => movedSpans(moved, cut), spans),
    names: inOrder.map(({ path }) => path),
  };
}
