/** Offered tools are cut out of the bytes, and every span still covers its field. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { barredOffers, callersPath, type Offer, withoutPieces } from "./without-offers.ts";

const text = '{"a":1,"tools":[{"n":0},{"n":1},{"n":2}],"model":"m"}';
const body = Buffer.from(text);
const spanOf = (part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });
const spans = { model: spanOf('"m"'), user: spanOf("1") };
const second: Offer = { path: "tools[1]", cut: spanOf('{"n":1},') };
const third: Offer = { path: "tools[2]", cut: spanOf(',{"n":2}') };

const shown = (offers: readonly Offer[], options?: Record<string, string>) => {
  const found = withoutPieces({ body, spans }, barredOffers(offers, options));
  if (found === undefined) return undefined;
  const { model } = found.spans;
  assert.ok(model !== undefined);
  assert.equal(found.body.toString("utf8", model.start, model.end), '"m"');
  assert.deepEqual(found.spans.user, spans.user);
  return [found.body.toString(), found.names];
};

test("what the operator does not let through is cut, the rest stays as it was written", () => {
  assert.deepEqual(shown([second]), ['{"a":1,"tools":[{"n":0},{"n":2}],"model":"m"}', ["tools[1]"]]);
  assert.deepEqual(shown([third]), ['{"a":1,"tools":[{"n":0},{"n":1}],"model":"m"}', ["tools[2]"]]);
  const both = [{ ...second, cut: spanOf(',{"n":1}') }, third];
  assert.deepEqual(shown(both), ['{"a":1,"tools":[{"n":0}],"model":"m"}', ["tools[1]", "tools[2]"]]);
  assert.equal(body.toString(), text);
});

test("nothing is cut where nothing is offered, or where it is let through", () => {
  assert.equal(shown([]), undefined);
  assert.equal(shown([second, third], { allowUnpriced: "tools" }), undefined);
});

test("a place in what is left is told as the caller's", () => {
  const left = ["tools[0]", "tools[2]", "tools[3]"];
  const told = ["tools[0].name", "tools[1]", "tools[2]", "toolsets[0]", "max_tokens"];
  assert.deepEqual(
    told.map((path) => callersPath(path, left)),
    ["tools[1].name", "tools[4]", "tools[5]", "toolsets[0]", "max_tokens"],
  );
});

test("an index counts what was left out of its own list alone", () => {
  const left = ["input[0]", "tools[0]", "input[2]"];
  const told = ["input[0].type", "input[1]", "tools[0]", "other[1]", "input", "a.input[0]"];
  assert.deepEqual(
    told.map((path) => callersPath(path, left)),
    ["input[1].type", "input[3]", "tools[1]", "other[1]", "input", "a.input[0]"],
  );
});
