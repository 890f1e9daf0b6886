/**
 * The first completion of the README and of docs/start/install.md, as it is printed there and run by the
 * languages it is written in, against a Plaza that was started as both say: with its own first catalog. Only
 * the address differs, because port 8080 may be taken.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { nodeBinary, rootFolder } from "../rigs/harness/processes/processes.ts";
import { pythonWith, whyNoPython } from "./python.ts";

const run = promisify(execFile);
const printedUrl = "http://127.0.0.1:8080/v1";
const whyNoCurl = spawnSync("curl", ["--version"]).status === 0 ? false : "there is no curl";

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product?.stop());

/** Every block of a language in the two pages that begins so, each once, with the product's own address. */
function blocksOf(language: string, beginning = ""): string[] {
  const pages = ["README.md", "docs/start/install.md"].map((path) => readFileSync(rootFolder + path, "utf8"));
  const blocks = pages.flatMap((page) => [
    ...page.matchAll(new RegExp(`^\`\`\`${language}\n(${beginning}.*?)^\`\`\``, "gms")),
  ]);
  return [...new Set(blocks.map(([, text = ""]) => text))].map((text) => {
    assert.ok(text.includes(printedUrl), `a block that names another address than ${printedUrl}:\n${text}`);
    return text.replaceAll(printedUrl, product.baseUrl);
  });
}

/**
 * Runs a block in a folder below the checkout, so that `import` finds
 * what is installed here; what it printed.
 */
async function printedBy(command: string, block: string, name: string): Promise<string> {
  mkdirSync(join(rootFolder, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(rootFolder, ".cache/readme-"));
  try {
    const file = join(folder, name);
    writeFileSync(file, block);
    const env = { ...process.env, PLAZA_KEY: product.firstKey };
    const { stdout, stderr } = await run(command, [file], { env, timeout: 120_000 });
    assert.equal(stderr, "");
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the Python lines print the demo's answer", { skip: whyNoPython }, async () => {
  const blocks = blocksOf("python");
  assert.ok(blocks.length > 0);
  const python = await pythonWith("requirements-openai.txt");
  for (const block of blocks) {
    assert.match(block, /^# pip install openai\n/);
    assert.match(await printedBy(python, block, "first.py"), /\S+ \S+/);
  }
});

test("the TypeScript lines stream the demo's answer", async () => {
  const blocks = blocksOf("ts");
  assert.ok(blocks.length > 0);
  for (const block of blocks) assert.match(await printedBy(nodeBinary, block, "first.mts"), /\S+ \S+/);
});

test("the curl prints the demo's answer", { skip: whyNoCurl }, async () => {
  const blocks = blocksOf("sh", "curl ");
  assert.ok(blocks.length > 0);
  for (const block of blocks) {
    const env = { ...process.env, PLAZA_KEY: product.firstKey };
    const { stdout } = await run("sh", ["-c", block], { env, timeout: 60_000 });
    assert.match(JSON.parse(stdout).choices[0].message.content, /\S+ \S+/);
  }
});

test("all are on record, paid and complete", { skip: whyNoPython || whyNoCurl }, async () => {
  const rows = await product.requests(10);
  assert.deepEqual(
    rows.map(({ state, modelId, isStream }) => `${state} ${modelId} ${isStream}`),
    ["complete demo false", "complete demo true", "complete demo false"],
  );
});
