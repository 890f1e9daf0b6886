/**
 * A call as code to copy: curl, Python and TypeScript, written from the very body that is sent. The key is a
 * variable of the environment, never a secret. Knows no React.
 */
import { operationPaths } from "@plaza/contract/operations.ts";
import type { SampleOperation } from "./sample-operations.ts";

export const sampleLanguages = ["curl", "python", "typescript"] as const;
export type SampleLanguage = (typeof sampleLanguages)[number];

/** How an operation is called with OpenAI's packages, and where the text is in what comes. */
interface SampleCall {
  readonly method: string;
  /** Code for a stream's event, if there are streams, and for a whole answer. */
  readonly python: { readonly chunk?: string; readonly answer: string };
  readonly typescript: { readonly chunk?: string; readonly answer: string };
}

const sampleCalls: Readonly<Record<SampleOperation, SampleCall>> = {
  chat: {
    method: "chat.completions.create",
    python: { chunk: 'choices[0].delta.content or ""', answer: "choices[0].message.content" },
    typescript: { chunk: 'choices[0]?.delta?.content ?? ""', answer: "choices[0]?.message.content" },
  },
  embeddings: {
    method: "embeddings.create",
    python: { answer: "data[0].embedding" },
    typescript: { answer: "data[0]?.embedding" },
  },
  completion: {
    method: "completions.create",
    python: { chunk: "choices[0].text", answer: "choices[0].text" },
    typescript: { chunk: 'choices[0]?.text ?? ""', answer: "choices[0]?.text" },
  },
};

/** True when it supports streams. */
export const isStreamed = (operation: SampleOperation): boolean => "chunk" in sampleCalls[operation].python;

/** What kind of code. `safe` says what goes wrong, too. */
interface SampleOptions {
  /** Default: a chat. */
  readonly operation?: SampleOperation;
  readonly baseUrl: string;
  /** The body of the call. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it is sent; made from `body` when absent. */
  readonly text?: string;
  readonly isSafe?: boolean;
}

/**
 * Longest text a shell takes as one argument on Linux is 128 KiB; beyond this
 * the body is fed from a here-document.
 */
const argumentMax = 100_000;

/** A text in single quotes for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Below a base URL, which ends in /v1. */
const pathOf = (operation: SampleOperation): string => operationPaths[operation].path.slice("/v1".length);

function curlOf({ operation = "chat", baseUrl, body, text, isSafe = false }: SampleOptions): string {
  const sent = text ?? JSON.stringify(body, null, 2);
  const options = [
    ...(isSafe ? ["--fail-with-body -sS", "--retry 2 --max-time 600"] : []),
    ...(body["stream"] === true ? ["-N"] : []),
  ];
  const start = ["curl", ...options, shellQuoted(`${baseUrl}${pathOf(operation)}`)].join(" ");
  const lines = [
    start,
    '  -H "Authorization: Bearer $PLAZA_API_KEY"',
    '  -H "Content-Type: application/json"',
  ];
  const tail = isSafe ? " \\\n  || echo 'failed: the error is above' >&2" : "";
  if (sent.length <= argumentMax) return [...lines, `  -d ${shellQuoted(sent)}${tail}`].join(" \\\n");
  return `${[...lines, "  --data-binary @-"].join(" \\\n")} <<'JSON'\n${sent}\nJSON`;
}

function pythonValue(value: unknown, indent: string): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  // Texts and numbers are written the same in both.
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const rows = Array.isArray(value)
    ? value.map((one) => `${inner}${pythonValue(one, inner)},`)
    : Object.entries(value).map(
        ([name, one]) => `${inner}${JSON.stringify(name)}: ${pythonValue(one, inner)},`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return rows.length === 0 ? `${open}${close}` : `${open}\n${rows.join("\n")}\n${indent}${close}`;
}

function indented(code: string, by: string): string {
  return code
    .split("\n")
    .map((line) => (line === "" ? line : by + line))
    .join("\n");
}

function pythonOf({ operation = "chat", baseUrl, body, isSafe = false }: SampleOptions): string {
  const { method, python: said }: SampleCall = sampleCalls[operation];
  const isStream = body["stream"] === true;
  const args = Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, "    ")},`);
  const call = `client.${method}(\n${args.join("\n")}\n)`;
  const act = isStream
    ? `stream = ${call}\nfor chunk in stream:\n    if chunk.choices:\n        print(chunk.${said.chunk}, end="", flush=True)`
    : `answer = ${call}\nprint(answer.${said.answer})`;
  const start = [
    "import os",
    isSafe ? "import openai\nfrom openai import OpenAI" : "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    base_url=${JSON.stringify(baseUrl)},`,
    '    api_key=os.environ["PLAZA_API_KEY"],',
    ...(isSafe ? ["    max_retries=2,"] : []),
    ")",
    "",
  ].join("\n");
  if (!isSafe) return `${start}\n${act}\n`;
  return `${start}
try:
${indented(act, "    ")}
except openai.APIStatusError as error:
    # error.code says why: insufficient_balance (402), rate_limit_exceeded (429), model_not_found (404)
    print(error.status_code, error.code, error.message, error.request_id)
except openai.APIConnectionError as error:
    print("no connection:", error)
except openai.APIError as error:
    # ${isStream ? "an error inside the stream: what came before it is no whole answer" : "everything else"}
    print(error.code, error.message)
`;
}

function typescriptOf({ operation = "chat", baseUrl, body, isSafe = false }: SampleOptions): string {
  const { method, typescript: said }: SampleCall = sampleCalls[operation];
  const isStream = body["stream"] === true;
  const args = JSON.stringify(body, null, 2).replace(/^( *)"([A-Za-z_]\w*)": /gm, "$1$2: ");
  const call = `await client.${method}(${args})`;
  const act = isStream
    ? `const stream = ${call};\nfor await (const chunk of stream) {\n  process.stdout.write(chunk.${said.chunk});\n}`
    : `const answer = ${call};\nconsole.log(answer.${said.answer});`;
  const start = [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: ${JSON.stringify(baseUrl)},`,
    '  apiKey: process.env["PLAZA_API_KEY"],',
    ...(isSafe ? ["  maxRetries: 2,"] : []),
    "});",
    "",
  ].join("\n");
  if (!isSafe) return `${start}\n${act}\n`;
  return `${start}
try {
${indented(act, "  ")}
} catch (error) {
  if (error instanceof OpenAI.APIConnectionError) {
    console.error("no connection:", error.message);
  } else if (error instanceof OpenAI.APIError) {
    // error.code says why: insufficient_balance (402), rate_limit_exceeded (429), model_not_found (404)${
      isStream
        ? "\n    // Without a status it came inside the stream: what came before it is no whole answer."
        : ""
    }
    console.error(error.status, error.code, error.message, error.requestID);
  } else {
    throw error;
  }
}
`;
}

const writers: Readonly<Record<SampleLanguage, (options: SampleOptions) => string>> = {
  curl: curlOf,
  python: pythonOf,
  typescript: typescriptOf,
};

/** The code. */
export function codeSample(language: SampleLanguage, options: SampleOptions): string {
  return writers[language](options);
}

/** The displayed text: long data URLs are shortened, but copying keeps them. */
export function shownCode(code: string): string {
  return code
    .replace(/(data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]{40})[A-Za-z0-9+/=]{60,}/g, "$1…")
    .replace(/("[A-Za-z0-9+/]{40})[A-Za-z0-9+/=]{400,}"/g, '$1…"');
}
