/**
 * Samples carry the very body: a shell gives curl the same bytes, and the
 * other languages read the same values.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { codeSample, isStreamed, shellQuoted, shownCode } from "./code-samples.ts";
import { sampleOperationOf } from "./sample-operations.ts";

const baseUrl = "https://plaza.example/v1";
const body = {
  model: 'it\'s/a "model"',
  messages: [{ role: "user", content: 'Don\'t $HOME `x` \\ "q"\nsecond 汉😀' }],
  stream: true,
  temperature: 0,
  stop: [],
  tools: null,
};

/** What a shell makes of the sample when curl only writes its arguments and its input. */
function asShell(sample: string): string[] {
  const script = `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; case " $* " in *" @- "*) cat;; esac; }\nPLAZA_API_KEY=sk-1\n${sample}\n`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
}

test("a shell hands curl the same bytes, quotes and line breaks included", {
  skip: process.platform === "win32",
}, () => {
  const text = JSON.stringify(body, null, 2);
  const args = asShell(codeSample("curl", { baseUrl, body, text }));
  assert.equal(args[args.indexOf("-d") + 1], text);
  assert.ok(args.includes(`${baseUrl}/chat/completions`));
  assert.ok(args.includes("Authorization: Bearer sk-1"));
  assert.ok(args.includes("-N"));
  assert.equal(shellQuoted("a'b"), "'a'\\''b'");
});

test("a body too large for an argument goes through a here-document", {
  skip: process.platform === "win32",
}, () => {
  const large = { ...body, messages: [{ role: "user", content: `${"x".repeat(200_000)}'` }] };
  const text = JSON.stringify(large, null, 2);
  const sample = codeSample("curl", { baseUrl, body: large, text });
  assert.ok(sample.endsWith(`<<'JSON'\n${text}\nJSON`));
  // The argument list of a test is bounded as well, so only the shape of the command is run.
  assert.ok(
    asShell(sample.replaceAll(/x{1000,}/g, "x"))
      .at(-1)
      ?.includes('"content": "x\''),
  );
});

test("TypeScript reads the same values", () => {
  const code = codeSample("typescript", { baseUrl, body, isSafe: true });
  const args = code.slice(code.indexOf("create(") + 7, code.indexOf(");\n  for await"));
  assert.deepEqual(Function(`return (${args})`)(), body);
  assert.ok(code.includes(`baseURL: "${baseUrl}"`));
});

test("Python has its own words for nothing, true and false, and lines up", () => {
  const code = codeSample("python", {
    baseUrl,
    body: { model: "m", messages: [], stream: true, a: null, b: false, c: { d: [1] } },
  });
  assert.ok(
    code.includes(
      '    stream=True,\n    a=None,\n    b=False,\n    c={\n        "d": [\n            1,\n        ],\n    },\n',
    ),
  );
  const safe = codeSample("python", { baseUrl, body: { model: "m", messages: [] }, isSafe: true });
  assert.ok(
    safe.includes(
      '\n    answer = client.chat.completions.create(\n        model="m",\n        messages=[],\n    )\n',
    ),
  );
});

test("no sample holds a secret, long images are shortened to look at", () => {
  for (const language of ["curl", "python", "typescript"] as const) {
    assert.ok(codeSample(language, { baseUrl, body }).includes("PLAZA_API_KEY"));
  }
  const url = `data:image/png;base64,${"A".repeat(500)}==`;
  assert.equal(shownCode(`"${url}"`), `"data:image/png;base64,${"A".repeat(40)}…"`);
  assert.equal(shownCode("data:image/png;base64,AAAA"), "data:image/png;base64,AAAA");
});

test("a legacy completion is called at its own path, and its text is shown", () => {
  const asked = { operation: "completion", baseUrl, body: { model: "m", prompt: "Once" } } as const;
  assert.match(codeSample("curl", asked), /plaza\.example\/v1\/completions'/);
  assert.match(codeSample("python", asked), /client\.completions\.create\(.*choices\[0\]\.text\)/s);
  const stream = { ...asked, body: { ...asked.body, stream: true } };
  assert.match(codeSample("typescript", stream), /client\.completions\.create.*choices\[0\]\?\.text/s);
  for (const language of ["curl", "python", "typescript"] as const)
    assert.doesNotMatch(codeSample(language, stream), /chat|message|delta/);
  assert.equal(sampleOperationOf(["completion", "chat"]), "completion");
  assert.equal(sampleOperationOf([]), undefined);
});

test("embeddings are called at their own path, never as a stream, and the vector is shown", () => {
  const asked = { operation: "embeddings", baseUrl, body: { model: "m", input: ["a", "b"] } } as const;
  assert.match(codeSample("curl", asked), /plaza\.example\/v1\/embeddings'/);
  assert.match(codeSample("python", asked), /client\.embeddings\.create\(.*data\[0\]\.embedding/s);
  assert.match(codeSample("typescript", asked), /client\.embeddings\.create.*data\[0\]\?\.embedding/s);
  assert.deepEqual(
    ["chat", "completion", "embeddings"].map((one) => isStreamed(one as "chat")),
    [true, true, false],
  );
});
