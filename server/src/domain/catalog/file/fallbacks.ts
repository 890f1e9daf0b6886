/**
 * The `fallbacks` of models: each a list of other models of the file, none of which may lead back. Knows
 * models only by what a fallback needs of them.
 */
import type { Model } from "@plaza/contract/catalog.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { hasSubstitutes, mayReplace, operationsOf } from "@plaza/contract/operations.ts";
import { quote } from "../../../lib/quote.ts";
import { fault, guess, type Reading, readList, readText, type Spot } from "./reading.ts";

const fallbacksMax = 8;
/** Near names are looked for this often; a file may name models ten thousands of times. */
const guessesMax = 100;
/** Ids of a longer loop are not all shown. */
const shownMax = 10;

/** That one model falls back to another, and where the file says so. */
export interface FallbackLink {
  readonly from: string;
  readonly to: string;
  readonly spot: Spot;
}

/** One model's list, as links; what only the whole file can tell is `checkFallbacks`'s. */
export function readFallbacks(reading: Reading, spot: Spot, from: string): FallbackLink[] {
  const links: FallbackLink[] = [];
  for (const item of readList(reading, spot, "fallbacks", 0, fallbacksMax)) {
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
 * Depth first over every model, without recursion: a file may chain thousands of them. A link to a model that
 * is still being followed closes a loop; each such link is reported once.
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
 * Records every link that leads nowhere, to a model that could not serve, or round in a circle. `known`:
 * links that are good already and may be part of such a circle.
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
