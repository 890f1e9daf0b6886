/**
 * Makes `text-stop-code.ts` of `text-stop.wat`: WebAssembly as a text that every build can bundle.
 * Run: node tools/wasm.ts; `--check` only compares.
 */
import { readFileSync, writeFileSync } from "node:fs";
import wabt from "wabt";

const source = new URL("../server/src/lib/json/text-stop.wat", import.meta.url);
const target = new URL("../server/src/lib/json/text-stop-code.ts", import.meta.url);

/** The module as TypeScript. */
async function moduleText(): Promise<string> {
  const { parseWat } = await wabt();
  const parsed = parseWat("text-stop.wat", readFileSync(source, "utf8"), { simd: true });
  parsed.validate();
  const lines =
    Buffer.from(parsed.toBinary({}).buffer)
      .toString("base64")
      .match(/.{1,100}/g) ?? [];
  const parts = lines.map((line) => `  "${line}"`).join(" +\n");
  return `/** Made by \`node tools/wasm.ts\` of \`text-stop.wat\`; not to be changed by hand. */\n\nexport const textStopCode =\n${parts};\n`;
}

const text = await moduleText();
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.error("server/src/lib/json/text-stop-code.ts is not made of text-stop.wat: run node tools/wasm.ts");
  process.exitCode = 1;
}
