/** What a reload brings back, and what it does not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unsetParameters } from "../chat/request.ts";
import { newRun } from "../chat/run-chat.ts";
import { readSaved, type SavedState, savedText } from "./saved.ts";

const call = { model: "m", keyId: "key_1", body: '{"model":"m"}' };
const image = { id: "i", name: "a.png", dataUrl: `data:image/png;base64,${"A".repeat(400)}`, bytes: 300 };

const state: SavedState = {
  exchanges: [
    { id: 1, text: "one", images: [image], run: { ...newRun(call), state: "complete", requestId: "req_1" } },
    { id: 2, text: "two", images: [], run: { ...newRun(call), state: "streaming", record: "asking" } },
  ],
  system: "Be brief.",
  parameters: { ...unsetParameters, temperature: 0.5 },
  draft: { text: "thr", images: [] },
  former: [],
};

test("everything comes back, and what was under way reads as stopped", () => {
  const read = readSaved(savedText(state) ?? null);
  assert.deepEqual(read?.exchanges[0], state.exchanges[0]);
  assert.deepEqual(
    read?.exchanges.map(({ run }) => [run.state, run.record]),
    [
      ["complete", null],
      ["stopped", null],
    ],
  );
  assert.deepEqual(
    [read?.system, read?.parameters, read?.draft],
    [state.system, state.parameters, state.draft],
  );
});

test("attachments are left out when they are too large to keep, texts stay", () => {
  const large = { ...image, dataUrl: `data:image/png;base64,${"A".repeat(3_000_000)}` };
  const body = JSON.stringify({ url: large.dataUrl });
  const [first] = state.exchanges;
  assert.ok(first !== undefined);
  const read = readSaved(
    savedText({ ...state, exchanges: [{ ...first, images: [large], run: { ...first.run, body } }] }) ?? null,
  );
  assert.deepEqual(read?.exchanges[0]?.images, []);
  assert.equal(read?.exchanges[0]?.text, "one");
  assert.equal(savedText({ ...state, system: "x".repeat(3_000_000) }), undefined);
});

test("what cannot be read is nothing, and parameters of a later page have their defaults", () => {
  for (const text of [null, "", "{", "[]", "null", '{"version":99,"exchanges":[],"draft":{}}'])
    assert.equal(readSaved(text), undefined);
  const old = JSON.stringify({
    version: 1,
    exchanges: [],
    draft: { text: "", images: [] },
    parameters: { seed: 4 },
  });
  assert.deepEqual(readSaved(old)?.parameters, { ...unsetParameters, seed: 4 });
});
