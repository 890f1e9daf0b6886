/** How the server's sentences become Chinese ones: what varies in them, sentences in sentences, and what is nobody's to translate. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sentences, serverWords } from "./server-sentences.ts";
import { serverText, takeSentences } from "./server-text.ts";

takeSentences(sentences, serverWords);

const said = (sentence: string): string => serverText(sentence, "zh");

test("numbers and names are taken over", () => {
  assert.equal(said("A password has at least 10 characters."), "密码至少 10 个字符。");
  assert.equal(said("OpenAI (EU) needs a credential."), "OpenAI (EU) 需要凭据。");
});

test("one sentence with and without a capital and a full stop", () => {
  assert.equal(said("there is no account acc_1"), "没有账户 acc_1");
  assert.equal(said("There is no account acc_1."), "没有账户 acc_1。");
});

test("what stands in a sentence is translated, too", () => {
  assert.equal(
    said('There is no upstream "man"; did you mean "main"? (upstreams: main, b).'),
    '没有上游 "man"；是想写 "main" 吗？（上游：main, b）。',
  );
  assert.equal(said("Is empty; give an id."), "为空；请填写 ID。");
  assert.equal(
    said("account acc_1 paid 2 USD for request r, which is less"),
    "账户 acc_1 为请求 r 只支付了 2 USD，少于此金额",
  );
});

test("the name of a field before a sentence stays", () => {
  assert.equal(said("name: Give it a name."), "name：请填写名称。");
  assert.equal(
    said('deployments.0.weight: "-1" is not allowed; must be a whole number from 0 to 9.'),
    'deployments.0.weight："-1" 不可用；必须是 0 到 9 的整数。',
  );
});

test("what is not known stays whole, and so does English", () => {
  for (const sentence of [
    "Another thing.",
    "Must be one of our own things.",
    "Give me everything.",
    "name: is that so?",
    "'tools' must be a list of tools, not dict.",
    "toString",
    "",
  ])
    assert.equal(said(sentence), sentence);
  assert.equal(serverText("This account is suspended.", "en"), "This account is suspended.");
});

test("a translation puts in what its sentence has", () => {
  for (const [sentence, text] of Object.entries(sentences)) {
    const parts = sentence.match(/\{[nd]\}/g)?.length ?? 0;
    const unnamed = text.match(/\{[nsw]\}/g)?.length ?? 0;
    const named = [...text.matchAll(/\{[nsw]?(\d)\}/g)].map(([, number]) => Number(number));
    assert.ok(unnamed === 0 || named.length === 0, `both kinds of places: ${text}`);
    assert.ok(named.every((number) => number >= 1 && number <= parts) && unnamed <= parts, text);
    if (named.length === 0) assert.equal(unnamed, parts, text);
  }
});
