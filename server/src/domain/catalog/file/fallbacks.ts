/**
 * The `fallbacks` of models: lists of other models in the file, without loops. Knows only those parts of a
 * model that a fallback needs.
 */
import type { Model } from "@plaza/contract/catalog.ts";
import { catalogMax } from "@plaza/contract/catalog-values.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { hasSubstitutes, mayReplace, operationsOf } from "@plaza/contract/operations.ts";
import { quote } from "../../../lib/quote.ts";
import { fault, guess, type Reading, readList, readText, type Spot } from "./reading.ts";

/** Most suggestions computed; a file may name tens of thousands of models. */
const guessesMax = 100;
/** Most ids shown of a loop. */
const shownMax = 10;

/** A link from one model to a fallback, and its position in the file. */
export interface FallbackLink {
  readonly from: string;
  readonly to: string;
  readonly spot: Spot;
}

/** Reads one model's list as links. `checkFallbacks` checks what requires the whole file. */
export function readFallbacks(reading: Reading, spot: Spot, from: string): FallbackLink[] {
  const links: FallbackLink[] = [];
  for (const item of readList(reading, spot, "fallbacks", 0, catalogMax.fallbacks)) {
    const read = readText(
      reading,
      item,
      message(reading.env === undefined ? "file.otherModel" : "file.otherModelOfFile"),
    );
    if (read === undefined) continue;
    if (read.text === from) fault(reading, item, message("file.fallbackItself"));
    else if (links.some(({ to }) => to === read.text))
      fault(reading, item, message("file.repeats", { given: read.shown }));
    else links.push({ from, to: read.text, spot: item });
  }
  return links;
}

function checkTarget(
  reading: Reading,
  { from, to, spot }: FallbackLink,
  models: ReadonlyMap<string, Model>,
  ids: readonly string[],
): void {
  const shown = spot.part.kind === "text" ? quote(spot.part.text) : quote(to);
  const target = models.get(to);
  if (target === undefined) {
    const near = reading.faults.length < guessesMax ? guess(to, ids, "models") : "";
    fault(reading, spot, message("file.modelUnknown", { given: shown, guess: near }));
  } else if (target.deployments.length === 0) {
    fault(reading, spot, message("file.fallbackNotDeployed", { model: shown }));
  } else if (target.price === undefined && target.scheduledPrices === undefined) {
    fault(reading, spot, message("file.fallbackNotPriced", { model: shown }));
  } else if (!operationsOf(models.get(from) ?? {}).some(hasSubstitutes)) {
    fault(reading, spot, message("file.fallbackOfEmbeddings"));
  } else if (!mayReplace(target, models.get(from) ?? {})) {
    fault(reading, spot, message("file.fallbackForOther", { model: shown }));
  }
}

function loopFault(ids: readonly string[]): Message {
  const left = ids.length - shownMax;
  const first = ids[0] ?? "";
  if (left <= 0) return message("file.loop", { ids: [...ids, first].join(" → ") });
  return message("file.longLoop", { ids: ids.slice(0, shownMax).join(" → "), left, first });
}

/**
 * Depth-first search without recursion, because a file may chain thousands of models. A link to a model on
 * the current path closes a loop; each such link is reported once.
 */
function checkLoops(reading: Reading, linksOf: ReadonlyMap<string, readonly FallbackLink[]>): void {
  const done = new Set<string>();
  for (const start of linksOf.keys()) {
    if (done.has(start)) continue;
    const path = [start];
    const depths = new Map([[start, 0]]);
    const nexts = [0];
    while (path.length > 0) {
      const id = path.at(-1) ?? "";
      const next = nexts.at(-1) ?? 0;
      const link = linksOf.get(id)?.[next];
      if (link === undefined) {
        done.add(id);
        depths.delete(id);
        path.pop();
        nexts.pop();
        continue;
      }
      nexts[nexts.length - 1] = next + 1;
      const depth = depths.get(link.to);
      if (depth !== undefined) {
        fault(reading, link.spot, loopFault(path.slice(depth)));
      } else if (!done.has(link.to)) {
        depths.set(link.to, path.length);
        path.push(link.to);
        nexts.push(0);
      }
    }
  }
}

/**
 * Reports links to unknown models, to models that cannot serve the calls, and links that close a loop.
 * `known`: valid links that may be part of a loop.
 */
export function checkFallbacks(
  reading: Reading,
  links: readonly FallbackLink[],
  models: readonly Model[],
  known: readonly FallbackLink[] = [],
): void {
  const byId = new Map(models.map((model) => [model.id, model]));
  const ids = [...byId.keys()];
  for (const link of links) checkTarget(reading, link, byId, ids);
  checkLoops(
    reading,
    Map.groupBy([...links, ...known], ({ from }) => from),
  );
}
