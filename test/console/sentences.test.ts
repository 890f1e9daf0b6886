/**
 * Nothing the server can say to somebody who reads Chinese is missing in Chinese: its sentences are read out of its sources, and what the
 * schemas of the API say of bad input is had by giving them bad input.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { apiRoutes, type RouteSpec } from "../../contract/api/index.ts";
import { textOf } from "../../contract/messages/message.ts";
import { faultRules } from "../../server/src/domain/routing/fault.ts";
import { sentences, serverWords } from "../../web/src/words/server-sentences.ts";
import { serverText, takeSentences } from "../../web/src/words/server-text.ts";
import { badValues, faultsOf } from "./sentences/bad-values.ts";
import { type Looking, propertyOf, sentencesIn } from "./sentences/collect.ts";
import { examples, notSaid } from "./sentences/exceptions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

takeSentences(sentences, serverWords);

/** Begins like a sentence or with a field in quotes, and ends like one. */
const isSentence = (text: string): boolean =>
  /^(?:[A-Z'"/]|\{n\}).* .*[.?]$/s.test(text) && /[a-z]{2} ?[a-z]/.test(text.replaceAll("{n}", ""));
/** More than one word. */
const isPhrase = (text: string): boolean => /[a-z]{2}/.test(text.replaceAll("{n}", "")) && /\S \S/.test(text);

interface Place extends Looking {
  readonly where: string;
  readonly files: readonly string[];
  readonly exclude?: readonly string[];
  readonly isSaid: (text: string) => boolean;
  /** What the server takes out before it says it. */
  readonly without?: RegExp;
}

/** The words of the API's document are nobody's. */
const document = propertyOf("summary", "description", "help");

const places: readonly Place[] = [
  { where: "the contract", files: ["contract/**/*.ts"], isSaid: isSentence, skips: document },
  {
    where: "the data plane",
    files: ["server/src/gateway/**/*.ts", "server/src/http/**/*.ts"],
    isSaid: isSentence,
    skips: document,
  },
  {
    where: "the translators",
    files: ["server/src/providers/**/*.ts", "server/src/protocols/**/*.ts"],
    // What the demo says, it says in an upstream's place; the rest is for tests.
    exclude: ["demo/", "/fixtures", "/testing/", "scrub-canaries.ts"],
    isSaid: isSentence,
    skips: propertyOf("help"),
  },
  {
    where: "the settings of providers",
    files: ["server/src/providers/**/*.ts", "server/src/protocols/**/*.ts"],
    exclude: ["/fixtures"],
    isSaid: isPhrase,
    within: propertyOf("help"),
  },
  {
    where: "what the demo says of itself",
    files: ["server/src/start/first-run.ts"],
    isSaid: isPhrase,
    within: propertyOf("description"),
  },
];

function saidIn({ files, exclude = [], isSaid, without, ...looking }: Place): Map<string, string> {
  const said = new Map<string, string>();
  for (const file of globSync([...files], { cwd: root }).map((name) => name.replaceAll("\\", "/"))) {
    if (file.endsWith(".test.ts") || exclude.some((part) => file.includes(part))) continue;
    for (const { text, line } of sentencesIn(file, readFileSync(root + file, "utf8"), looking)) {
      const plain = without === undefined ? text : text.replaceAll(without, "");
      if (isSaid(plain) && !notSaid.has(plain)) said.set(plain, `${file}:${line}`);
    }
  }
  return said;
}

/** What is wrong with the Chinese of a sentence; undefined: nothing. */
function missing(sentence: string): string | undefined {
  const text = serverText(sentence, "zh");
  if (text === sentence) return "is not translated";
  // What was half translated shows as a run of English words.
  const run = /(?:\b[a-z']{2,} ){3}/.exec(text)?.[0];
  return run === undefined ? undefined : `is half translated: ${text}`;
}

/** Is the template, or the part of a sentence, in it? */
const fits = (template: string, sentence: string): boolean => {
  const literals = template.split("{n}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(literals.join(".*"), "is").test(sentence);
};

for (const place of places) {
  test(`${place.where}: every sentence has Chinese words`, () => {
    const said = saidIn(place);
    const faults = [...said].flatMap(([template, at]) =>
      (examples[template] ?? [template.replaceAll("{n}", "7")]).flatMap((sentence) => {
        const fault = fits(template, sentence) ? missing(sentence) : "is no example of it";
        return fault === undefined ? [] : [`${at}: ${JSON.stringify(sentence)} ${fault}`];
      }),
    );
    assert.deepEqual(faults, []);
  });
}

/** What an area of the console's words says of a kind of thing: `act.`, `fault.`. */
function namesIn(area: string, kind: string): Set<string> {
  const source = readFileSync(`${root}web/src/words/pages/${area}.ts`, "utf8");
  const keys = [...source.matchAll(/^ {4}"(\w+)\.([^"]+)":/gm)].filter(([, begun]) => begun === kind);
  return new Set(keys.map(([, , name]) => name as string));
}

test("every kind of fault has words", () => {
  const kinds = Object.keys(faultRules);
  assert.ok(kinds.length > 10);
  for (const area of ["requests", "operator-health"]) {
    const said = namesIn(area, "fault");
    assert.deepEqual(
      kinds.filter((kind) => !said.has(kind)),
      [],
      area,
    );
  }
});

test("every act the audit log can name has words", () => {
  const [all, ofAccount] = [namesIn("operator-audit", "act"), namesIn("members", "act")];
  const acts = Object.entries(apiRoutes as Record<string, RouteSpec>).filter(
    ([, { method, access, isAudited }]) => method !== "get" && access !== "anyone" && isAudited !== false,
  );
  assert.ok(acts.length > 20);
  assert.deepEqual(
    acts.flatMap(([name]) => (all.has(name) ? [] : [name])),
    [],
  );
  // An operator's acts are about everybody; those about one account are told in its own log, too.
  assert.deepEqual(
    acts.flatMap(([name, { access }]) => (access === "operator" || ofAccount.has(name) ? [] : [name])),
    [],
  );
  const written = globSync("server/src/cli/**/*.ts", { cwd: root }).flatMap((file) =>
    sentencesIn(file, readFileSync(root + file, "utf8"), { within: propertyOf("action") }),
  );
  // What becomes of a model that is offered is an action, too, of another kind.
  const others = new Set(["add", "deploy", "present", "leave"]);
  assert.ok(written.length > 5);
  assert.deepEqual(
    written.flatMap(({ text }) => (text.includes("{n}") || others.has(text) || all.has(text) ? [] : [text])),
    [],
  );
});

test("everything the schemas of the API say of bad input is a message of ours", () => {
  const texts = new Set<string>();
  const others = new Set<string>();
  for (const { params, query, body } of Object.values(apiRoutes as Record<string, RouteSpec>))
    for (const schema of [params, query, body])
      for (const made of schema === undefined ? [] : faultsOf(schema, badValues(schema))) {
        texts.add(textOf(made));
        if (made.id === "form.other") others.add(textOf(made));
      }
  assert.ok(texts.size > 100, `only ${texts.size}`);
  assert.deepEqual([...others], []);
});
