/** Every boot setting is told in Chinese, and nothing is told of settings that are gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listSettings } from "../../../../server/src/config/config.ts";
import { settingSentences } from "./settings.ts";

test("each setting's meaning, and what holds while it is unset", () => {
  const said = listSettings()
    .flatMap(([, { text, initially }]) => [text, ...(initially === undefined ? [] : [initially])])
    // Addresses are the same in every language.
    .filter((text) => !/^`[^`]*`$/.test(text));
  assert.deepEqual(Object.keys(settingSentences).sort(), [...new Set(said)].sort());
  for (const text of Object.values(settingSentences)) assert.match(text, /\p{Script=Han}/u);
});
