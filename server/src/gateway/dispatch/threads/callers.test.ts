import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { callerProtocols } from "./callers.ts";

test("every folder that writes answers for callers is in the list, under a format of its name", () => {
  const here = new URL("../../../protocols/", import.meta.url);
  const folders = readdirSync(here).filter((name) => existsSync(new URL(`${name}/answers/answers.ts`, here)));
  const answering = callerProtocols.filter(({ writeCount }) => writeCount === undefined);
  assert.deepEqual(answering.map(({ format }) => format?.id).sort(), folders.sort());
});

test("those that count tokens are of formats that answer, one of each", () => {
  const answering = callerProtocols.filter(({ writeCount }) => writeCount === undefined);
  const counting = callerProtocols.filter(({ writeCount }) => writeCount !== undefined);
  const ids = counting.map(({ format }) => format?.id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids)
    assert.ok(
      answering.some(({ format }) => format?.id === id),
      id,
    );
});
