/**
 * Every language says the same things: the same keys (plural forms apart), the same placeholders, nothing
 * empty, and no area twice. English is read as text, so that no page has to run.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Language, languageIds, loaderOf } from "./languages.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

type Texts = Readonly<Record<string, string>>;
interface Area {
  readonly file: string;
  readonly name: string;
  readonly en: Texts;
}

/** The areas a file in `en/` defines: its calls of `defineMessages`, evaluated with a stand-in. */
function areasIn(file: string): Area[] {
  const source = readFileSync(`${folder}en/${file}`, "utf8");
  const code = source
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export (?:type|interface) [^;{]*(?:;|\{[^}]*\})$/gm, "")
    .replace(/export const (\w+) =/g, "const $1 =")
    .replace(/\} as const/g, "}");
  const areas: Area[] = [];
  new Function("defineMessages", code)((name: string, en: Texts) => areas.push({ file, name, en }));
  return areas;
}

const filesIn = (language: string): string[] =>
  readdirSync(`${folder}${language}`, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
const files = filesIn("en");
const areas = files.flatMap(areasIn);
const others = languageIds.filter((id) => loaderOf(id) !== undefined);
const loaded = new Map<Language, Readonly<Record<string, Texts>>>();
for (const id of others) loaded.set(id, (await loaderOf(id)?.())?.console ?? {});

const base = (key: string): string => key.replace(/_(?:one|other)$/, "");
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort();

test("every file of texts defines an area, and no two areas have one name", () => {
  assert.ok(areas.length >= files.length && files.length > 0);
  assert.ok(others.length > 0);
  const names = areas.map((area) => area.name);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

for (const { file, name, en } of areas) {
  test(`${name} (${file}): no English text is empty, and plurals are whole`, () => {
    for (const [key, text] of Object.entries(en)) assert.notEqual(text.trim(), "", key);
    for (const key of Object.keys(en).filter((one) => one.endsWith("_one"))) {
      assert.ok(`${base(key)}_other` in en, `${key} has no _other`);
    }
  });
}

const keysOf = (texts: Texts) => [...new Set(Object.keys(texts).map(base))].sort();

for (const [language, texts] of loaded) {
  test(`${language} has the areas of English`, () => {
    assert.deepEqual(Object.keys(texts).sort(), areas.map(({ name }) => name).sort());
  });

  for (const { name, en } of areas) {
    test(`${language}, ${name}: the keys and placeholders of English, and no empty text`, () => {
      const own = texts[name] ?? {};
      assert.deepEqual(keysOf(own), keysOf(en));
      for (const [key, text] of Object.entries(own)) {
        assert.notEqual(text.trim(), "", key);
        assert.deepEqual(placeholders(text), placeholders(en[key] ?? en[`${base(key)}_other`] ?? ""), key);
      }
    });
  }
}
