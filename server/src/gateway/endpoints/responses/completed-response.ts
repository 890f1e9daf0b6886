/**
 * The response in a stream's last event, with what only earlier events said of it: its id, and the items that
 * were done where its `output` lacks them. Everything else stays as it was written.
 */
import { setMembers } from "../../../lib/json/set-members.ts";
import { isRecord, parseJson } from "../../../lib/record.ts";
import type { EarlierEvents } from "../../../protocols/wire-protocol.ts";
import { memberOf, textAt } from "./items.ts";

const itemDone = "response.output_item.done";

/** An item as it was written. */
interface DoneItem {
  readonly text: string;
  /** Its place in the output; infinite: not said. */
  readonly index: number;
}

/** undefined: it is no such event, or no JSON: nothing else has read it. */
function doneIn(event: string): DoneItem | undefined {
  if (!isRecord(parseJson(event))) return undefined;
  const body = Buffer.from(event);
  const item = memberOf(body, 0, "item");
  // Where its line names no event, a text in it may have looked like one.
  const isDone = (textAt(body, memberOf(body, 0, "type")) ?? itemDone) === itemDone;
  if (!isDone || item === undefined) return undefined;
  const place = memberOf(body, 0, "output_index");
  const index = Number(place === undefined ? Number.NaN : body.toString("latin1", place.start, place.end));
  const text = body.toString("utf8", item.start, item.end);
  return { text, index: Number.isSafeInteger(index) ? index : Number.POSITIVE_INFINITY };
}

/** The items in their order, each once: the last one wins where a place is named twice. */
function outputOf(events: readonly string[]): string {
  const byIndex = new Map<number, string>();
  const others: string[] = [];
  for (const event of events) {
    const item = doneIn(event);
    if (item === undefined) continue;
    if (Number.isFinite(item.index)) byIndex.set(item.index, item.text);
    else others.push(item.text);
  }
  const inOrder = [...byIndex].sort(([a], [b]) => a - b).map(([, text]) => text);
  return `[${[...inOrder, ...others].join(",")}]`;
}

/** `earlier`: undefined where the last event says it all. */
export function completedResponse(response: Buffer, earlier: EarlierEvents | undefined): Buffer {
  if (earlier === undefined) return response;
  const values: Record<string, string> = {};
  const hasId = (textAt(response, memberOf(response, 0, "id")) ?? "") !== "";
  if (earlier.id !== undefined && !hasId) values["id"] = JSON.stringify(earlier.id);
  if (earlier.itemsDone.length > 0) values["output"] = outputOf(earlier.itemsDone);
  return setMembers(response, 0, values);
}
