/** Every error of the catalogue is said in Chinese, and what varies in a sentence is taken over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCatalogue } from "../../../contract/errors.ts";
import { sentences } from "./server-sentences.ts";
import { serverText, takeSentences } from "./server-text.ts";

takeSentences(sentences);

for (const [code, { message }] of Object.entries(errorCatalogue)) {
  test(`${code} has Chinese words`, () => assert.match(serverText(message, "zh"), /\p{Script=Han}/u));
}

test("numbers and names are taken over", () => {
  assert.equal(serverText("A password has at least 10 characters.", "zh"), "密码至少 10 个字符。");
  assert.equal(serverText("OpenAI (EU) needs a credential.", "zh"), "OpenAI (EU) 需要凭据。");
});

test("what is not known stays, and so does English", () => {
  assert.equal(serverText("Something else.", "zh"), "Something else.");
  assert.equal(serverText("This account is suspended.", "en"), "This account is suspended.");
  assert.equal(serverText("toString", "zh"), "toString");
});

test("both sides of a sentence vary in as many places", () => {
  const count = (text: string): number => text.split("{n}").length;
  for (const [sentence, text] of Object.entries(sentences))
    assert.equal(count(text), count(sentence), sentence);
});
