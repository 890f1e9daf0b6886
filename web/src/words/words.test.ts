/**
 * Both languages say the same things: the same keys (plural forms apart), the same placeholders, nothing empty, and no area twice.
 * Reads the sources as text, so that no page has to run.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

type Texts = Readonly<Record<string, string>>;
interface Area {
  readonly file: string;
  readonly name: string;
  readonly en: Texts;
  readonly zh: Texts;
}

/** The areas a file defines: its calls of `defineWords`, evaluated with a stand-in. */
function areasIn(file: string): Area[] {
  const source = readFileSync(`${folder}${file}`, "utf8");
  const code = source
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export (?:type|interface) [^;{]*(?:;|\{[^}]*\})$/gm, "")
    .replace(/export const (\w+) =/g, "const $1 =")
    .replace(/\} as const/g, "}");
  const areas: Area[] = [];
  const define = (name: string, texts: { en: Texts; zh: Texts }) => areas.push({ file, name, ...texts });
  new Function("defineWords", code)(define);
  return areas;
}

/** What is no area: the machinery, and what the server says. */
const notAreas = new Set(["words.ts", "server-text.ts"]);
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .filter((file) => !notAreas.has(file));
const areas = files.flatMap(areasIn);

const base = (key: string): string => key.replace(/_(?:one|other)$/, "");
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort();

test("there are words, and every file of words defines an area", () => {
  assert.ok(areas.length >= files.length && files.length > 0);
});

test("no two areas have one name", () => {
  const names = areas.map((area) => area.name);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

for (const { file, name, en, zh } of areas) {
  test(`${name} (${file}): both languages have the same keys`, () => {
    const keysOf = (texts: Texts) => [...new Set(Object.keys(texts).map(base))].sort();
    assert.deepEqual(keysOf(zh), keysOf(en));
  });

  test(`${name} (${file}): no text is empty, and plurals are whole`, () => {
    for (const [key, text] of [...Object.entries(en), ...Object.entries(zh)]) {
      assert.notEqual(text.trim(), "", key);
    }
    for (const key of Object.keys(en).filter((one) => one.endsWith("_one"))) {
      assert.ok(`${base(key)}_other` in en, `${key} has no _other`);
    }
  });

  test(`${name} (${file}): both languages have the same placeholders`, () => {
    for (const [key, text] of Object.entries(zh)) {
      assert.deepEqual(placeholders(text), placeholders(en[key] ?? ""), key);
    }
  });
}
