/**
 * Both languages say the same things: the same keys (plural forms apart), the same placeholders, nothing
 * empty, and no area twice. Reads the sources as text, so that no page has to run.
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

/** The Chinese words of a file in `zh/`, by the name of what it exports. */
async function chineseIn(file: string): Promise<Record<string, Texts>> {
  return (await import(`./zh/${file}`)) as Record<string, Texts>;
}

/** The areas a file in `en/` defines: its calls of `defineMessages`, evaluated with a stand-in. */
async function areasIn(file: string): Promise<Area[]> {
  const source = readFileSync(`${folder}en/${file}`, "utf8");
  const code = source
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export (?:type|interface) [^;{]*(?:;|\{[^}]*\})$/gm, "")
    .replace(/export const (\w+) =/g, "const $1 =")
    .replace(/\} as const/g, "}");
  const areas: Area[] = [];
  const define = (name: string, texts: { en: Texts; zh: Texts }) => areas.push({ file, name, ...texts });
  const chinese = await chineseIn(file);
  new Function("defineMessages", ...Object.keys(chinese), code)(define, ...Object.values(chinese));
  return areas;
}

const filesIn = (language: string): string[] =>
  readdirSync(`${folder}${language}`, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
const files = filesIn("en");
const areas = (await Promise.all(files.map(areasIn))).flat();

const base = (key: string): string => key.replace(/_(?:one|other)$/, "");
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort();

test("there are words, and every file of words defines an area", () => {
  assert.ok(areas.length >= files.length && files.length > 0);
});

test("each language has a file of each area", () => {
  assert.deepEqual(filesIn("zh").sort(), [...files].sort());
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
