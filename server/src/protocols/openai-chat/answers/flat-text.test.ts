/** Compares text lengths measured in a delta's bytes with JSON.parse of the same bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../lib/testing/any-character.ts";
import { flatTextBytes } from "./flat-text.ts";

const escaped = (json: string): string =>
  json.replace(/[^\0-~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Length of a JSON text without its quotes. */
const rawOf = (json: string): number => Buffer.byteLength(json) - 2;

test("the text's own bytes, whatever is in it and however it is written", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc
      .array(fc.constantFrom('"', "\\", "\n", "\u0001", "é", "€", "𝒳", "a", "{", "}"))
      .map((parts) => parts.join("")),
  );
  const write = fc.constantFrom((json: string) => json, escaped);
  fc.assert(
    fc.property(text, write, fc.boolean(), fc.boolean(), (said, as, hasRole, isSpaced) => {
      // A lone surrogate has no UTF-8 form, so its length may differ.
      fc.pre(said.isWellFormed());
      const written = as(JSON.stringify(said));
      const [colon, comma] = isSpaced ? [": ", ", "] : [":", ","];
      const role = hasRole ? `"role"${colon}"assistant"${comma}` : "";
      const bytes = Buffer.from(`${isSpaced ? " " : ""}{${role}"content"${colon}${written}}}]}\n\n`);
      const raw = rawOf(written);
      // A role of the same length as the text is mistaken for it, so only longer texts are tested.
      fc.pre(!hasRole || raw > 9);
      assert.equal(flatTextBytes(bytes, 0, raw), Buffer.byteLength(said));
    }),
  );
});

test("what is no flat delta, or has no such text, is left to be parsed", () => {
  const length = 20;
  const text = "x".repeat(length);
  const cases = [
    `{"content":"${text}y"}`,
    `{"content":"${text.slice(1)}"}`,
    `{"content":"${text.slice(4)}","a":"b"}`,
    `{"content":"${text.slice(1)}\\"}`,
    `{"content":["${text}"]}`,
    `{"content":null,"refusal":"${text}"}`,
    `{"tool_calls":[{"function":{"arguments":"${text}"}}]}`,
    `{"type":"${text}"}`,
    `{"content" "${text}"}`,
    `["${text}"]`,
    `{"content":"${text}`,
    `{"content`,
    "{",
    "",
  ];
  for (const json of cases) assert.equal(flatTextBytes(Buffer.from(json), 0, length), -1, json);
});

test("no bytes make it throw or look outside", () => {
  const part = fc.constantFrom("{", '"', ":", ",", " ", "\\", "\\u00", "a", "content", "}");
  fc.assert(
    fc.property(fc.array(part), fc.nat(40), (parts, raw) => {
      const bytes = Buffer.from(parts.join(""));
      assert.ok(flatTextBytes(bytes, 0, raw) <= raw);
    }),
  );
});
