/** Every message has a text in each language, with the same params, and each id is used somewhere. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bodyFor, messageIdsHeader } from "../../../contract/error-wire.ts";
import { errorCatalogue, GatewayError } from "../../../contract/errors.ts";
import { texts as english } from "../../../contract/messages/en/index.ts";
import { texts as japanese } from "../../../contract/messages/ja/index.ts";
import { message, textOf } from "../../../contract/messages/message.ts";
import { type Language, render } from "../../../contract/messages/render.ts";
import { namesIn, parseTemplate } from "../../../contract/messages/template.ts";
import { texts as chinese } from "../../../contract/messages/zh/index.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const ids = Object.keys(english) as (keyof typeof english)[];
const inChinese: Language = { texts: chinese, stop: "。", isSpaced: true };

const translations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  zh: chinese,
  ja: japanese,
};

test("all languages have the same ids", () => {
  assert.ok(ids.length > 200);
  for (const [language, texts] of Object.entries(translations))
    assert.deepEqual(Object.keys(texts).sort(), [...ids].sort(), language);
});

test("no id is in two files of a language", () => {
  for (const language of ["en", ...Object.keys(translations)]) {
    const files = globSync(`contract/messages/${language}/*.ts`, { cwd: root });
    const all = files.flatMap((file) =>
      [...readFileSync(root + file, "utf8").matchAll(/^ {2}"([\w.]+)":/gm)].map(([, id]) => id),
    );
    assert.equal(all.length, new Set(all).size);
    assert.equal(all.length, ids.length);
  }
});

test("all texts of an id have the same params", () => {
  for (const [language, texts] of Object.entries(translations)) {
    const differing = ids.filter((id) => namesIn(english[id]).join() !== namesIn(texts[id] ?? "").join());
    assert.deepEqual(differing, [], language);
  }
});

const scripts: Readonly<Record<string, RegExp>> = {
  zh: /\p{Script=Han}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
};

test("no text is empty, and every translated one is in its language", () => {
  assert.deepEqual(
    ids.filter((id) => english[id].trim() === ""),
    [],
  );
  // Texts without words, and words that are equal in all languages.
  const wordless = ids.filter((id) => !/[a-z]{2}/.test(english[id].replace(/\{[^{}]*\}/g, "")));
  wordless.push("file.anId", "setting.publicUrl.unset");
  for (const [language, texts] of Object.entries(translations)) {
    const plain = (id: string): string => texts[id] ?? "";
    assert.deepEqual(
      ids.filter(
        (id) => plain(id).trim() === "" || !(wordless.includes(id) || scripts[language]?.test(plain(id))),
      ),
      [],
      language,
    );
  }
});

/** Texts that are one param alone, with the reason: such a text must not carry a sentence of Plaza's own. */
const passedThrough: Readonly<Record<string, string>> = {
  "form.sentence": "makes a sentence of another message",
  "form.other": "zod's words for a fault that has no text; another test finds none in our schemas",
  "store.other": "a database's words for a refusal that Plaza does not know",
  "upstream.words": "an upstream's words about the caller's own request",
};

test("no text is one param alone, except those that pass on the words of others", () => {
  const isOneParam = (template: string): boolean => {
    const parts = parseTemplate(template).filter((part) => part !== "");
    return parts.length === 1 && typeof parts[0] === "object" && parts[0].cases === undefined;
  };
  assert.deepEqual(
    ids.filter((id) => [english[id], chinese[id], japanese[id]].some(isOneParam)).sort(),
    Object.keys(passedThrough).sort(),
  );
});

/** Product sources, which use the messages. */
function* sources(): Generator<string> {
  for (const file of globSync(["contract/**/*.ts", "server/src/**/*.ts", "web/src/**/*.{ts,tsx}"], {
    cwd: root,
  })) {
    const name = file.replaceAll("\\", "/");
    if (!name.endsWith(".test.ts") && !/^contract\/messages\/(?:en|ja|zh)\//.test(name))
      yield readFileSync(root + name, "utf8");
  }
}

test("every id is made somewhere", () => {
  const named = new Set<string>();
  for (const source of sources())
    for (const [, id] of source.matchAll(/["'`]([a-z][A-Za-z]*\.[\w.]+)["'`]/g)) named.add(id as string);
  const made = new Set(Object.keys(errorCatalogue).map((code) => `error.${code}`));
  assert.deepEqual(
    ids.filter((id) => !named.has(id) && !made.has(id)),
    [],
  );
});

test("every error of the catalogue has a text", () => {
  const errors = ids.filter((id) => id.startsWith("error.")).map((id) => id.slice("error.".length));
  assert.deepEqual(errors.sort(), Object.keys(errorCatalogue).sort());
});

test("params, cases, braces and sentences", () => {
  assert.deepEqual(parseTemplate("a {{b}} {c} {d:1=one|*=many}."), [
    "a {b} ",
    { name: "c" },
    " ",
    {
      name: "d",
      cases: new Map([
        ["1", "one"],
        ["*", "many"],
      ]),
    },
    ".",
  ]);
  const guess = message("file.didYouMean", { meant: '"main"', what: "upstreams", listed: "main" });
  const unknown = message("form.sentence", {
    text: message("file.upstreamUnknown", { given: '"mian"', guess }),
  });
  assert.equal(textOf(unknown), 'Unknown upstream "mian"; did you mean "main"? (upstreams: main).');
  assert.equal(render(inChinese, unknown), '未知的上游 "mian"；是想写 "main" 吗？（上游：main）。');
});

test("a message of another version has no text, and neither has one without end", () => {
  assert.equal(render(inChinese, { id: "file.unheardOf" }), undefined);
  assert.equal(render(inChinese, { id: "file.repeats" }), undefined);
  assert.equal(render(inChinese, { id: "toString" }), undefined);
  let deep = message("file.repeats", { given: "" });
  for (let depth = 0; depth < 20; depth += 1) deep = message("file.repeats", { given: deep });
  assert.equal(render(inChinese, deep), undefined);
});

test("a call of /v1 gets text only, and ids where it asks for them", () => {
  const refusal = new GatewayError("model_not_found", {
    message: message("call.modelUnknown", { model: "m" }),
  });
  const [plain, asked] = [bodyFor(refusal, {}), bodyFor(refusal, { [messageIdsHeader]: "true" })];
  assert.deepEqual(Object.keys(plain.error), ["message", "type", "param", "code"]);
  assert.deepEqual(asked.error, { ...plain.error, id: "call.modelUnknown", params: { model: "m" } });
});

test("a bare string, a missing, an unknown and a surplus param do not compile", () => {
  // @ts-expect-error: an error's message has an id
  new GatewayError("not_found", { message: message("account.unknown").id });
  // @ts-expect-error: a param is missing
  message("store.accountUnknown");
  // @ts-expect-error: a param is missing
  message("store.accountUnknown", {});
  // @ts-expect-error: a param has another name
  message("store.accountUnknown", { account: "acc_1" });
  // @ts-expect-error: one param too many
  message("store.accountUnknown", { id: "acc_1", name: "A" });
  // @ts-expect-error: a text without params takes none
  message("account.unknown", {});
  // @ts-expect-error: there is no such id
  assert.equal(textOf(message("account.unheardOf")), "account.unheardOf");
});
