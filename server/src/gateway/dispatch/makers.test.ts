/** What is another upstream's is cut out of a request, and what is left is the same list without it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { itemsOf } from "../../lib/json/spans.ts";
import { piecesOfOthers } from "./makers.ts";
import type { MadeItems } from "./state.ts";
import { withoutPieces } from "./without-offers.ts";

const list = ["a", "b", "c", "d"].map((id) => JSON.stringify({ id }));

/** Cuts the items of others; `makers`: who made which. */
function check(makers: Readonly<Record<number, string>>): void {
  for (const text of [
    `{"input":[${list}],"model":"m"}`,
    `{"input" : [ ${list.join(" , ")} ] , "model":"m"}`,
  ]) {
    const body = Buffer.from(text);
    const model = { start: text.indexOf('"m"'), end: text.indexOf('"m"') + 3 };
    const made: MadeItems = {
      name: "input",
      items: itemsOf(body, text.indexOf("[")),
      makers: new Map(Object.entries(makers).map(([at, maker]) => [Number(at), maker])),
    };
    const found = withoutPieces({ body, spans: { model } }, piecesOfOthers(made, "here"));
    const { input } = JSON.parse(String(found?.body ?? body)) as { input: { id: string }[] };
    const places = Object.entries(makers).filter(([, maker]) => maker !== "here");
    assert.deepEqual(
      found?.names ?? [],
      places.map(([at]) => `input[${at}]`),
    );
    const kept = list.filter((_, at) => (makers[at] ?? "here") === "here");
    assert.deepEqual(
      input.map((item) => JSON.stringify(item)),
      kept,
    );
    const { start, end } = found?.spans.model ?? model;
    assert.equal((found?.body ?? body).toString("utf8", start, end), '"m"');
  }
}

test("any of the items may be another's", () => {
  for (let chosen = 0; chosen < 2 ** list.length; chosen += 1) {
    const makers = list.flatMap((_, at) => ((chosen >> at) & 1 ? [[at, "elsewhere"] as const] : []));
    check(Object.fromEntries(makers));
  }
  check({ 1: "here", 2: "elsewhere" });
  assert.deepEqual(piecesOfOthers(undefined, "here"), []);
});
