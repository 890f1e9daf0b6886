/**
 * A chat as code for the packages of Anthropic, Google, LangChain and Vercel, written from the body of a chat
 * completion. What a package says in another way, and a sample does not translate, is named in a comment. The
 * key is a variable of the environment. Knows no React.
 */

export const sdkNames = ["anthropic", "google", "langchain", "vercel"] as const;
export type SdkName = (typeof sdkNames)[number];

/** The packages of a sample, as `npm install` takes them. */
export const sdkPackages: Readonly<Record<SdkName, string>> = {
  anthropic: "@anthropic-ai/sdk",
  google: "@google/genai",
  langchain: "@langchain/openai @langchain/core",
  vercel: "ai @ai-sdk/openai-compatible",
};

type Body = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** Plaza's address without `/v1`, which some packages add themselves. */
const rootOf = (baseUrl: string): string => baseUrl.replace(/\/v1\/?$/, "");

const key = 'process.env["PLAZA_API_KEY"]';

/** A value as TypeScript writes it: names without quotes where that is allowed. */
function written(value: unknown, indent = ""): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"([A-Za-z_]\w*)": /gm, "$1$2: ")
    .replaceAll("\n", `\n${indent}`);
}

function messagesOf(body: Body): readonly Message[] {
  const messages = body["messages"];
  return Array.isArray(messages) ? (messages as Message[]) : [];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { type?: string; text?: string }[]) : [];
  return parts.map(({ text }) => text ?? "").join("");
}

function systemOf(body: Body): string {
  return messagesOf(body)
    .filter(({ role }) => role === "system")
    .map(({ content }) => textOf(content))
    .join("\n\n");
}

const turnsOf = (body: Body): readonly Message[] => messagesOf(body).filter(({ role }) => role !== "system");

/** A part of a message: a text, or bytes with their type. */
type Part = { readonly text: string } | { readonly mediaType: string; readonly data: string } | undefined;

function partOf(part: unknown): Part {
  const {
    type,
    text,
    image_url: image,
  } = part as {
    readonly type?: string;
    readonly text?: string;
    readonly image_url?: { readonly url?: string };
  };
  if (type === "text") return { text: text ?? "" };
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(image?.url ?? "");
  return match === null ? undefined : { mediaType: match[1] ?? "", data: match[2] ?? "" };
}

/** The parts of a message that can be said in every package, and whether others were left out. */
function partsOf(content: unknown): {
  readonly parts: readonly NonNullable<Part>[];
  readonly isWhole: boolean;
} {
  if (!Array.isArray(content)) return { parts: [{ text: textOf(content) }], isWhole: true };
  const read = content.map(partOf);
  const parts = read.filter((part) => part !== undefined);
  return { parts, isWhole: parts.length === read.length };
}

/** What of a body was said, and the names of what was not. */
class Said {
  readonly #body: Body;
  readonly #known = new Set(["model", "messages", "stream"]);
  readonly left = new Set<string>();

  constructor(body: Body) {
    this.#body = body;
  }

  /** Parameters under the names of a package; only those that are set. */
  named(names: Readonly<Record<string, string>>): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (const [from, to] of Object.entries(names)) {
      this.#known.add(from);
      if (this.#body[from] !== undefined) out[to] = this.#body[from];
    }
    return out;
  }

  /** What no call of `named` asked for. */
  rest(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#body).filter(([name]) => !this.#known.has(name)));
  }

  parts(content: unknown): readonly NonNullable<Part>[] {
    const { parts, isWhole } = partsOf(content);
    if (!isWhole) this.left.add("messages (files and audio)");
    return parts;
  }

  comment(): string {
    for (const name of Object.keys(this.rest())) this.left.add(name);
    return this.left.size === 0 ? "" : `// Not in this sample: ${[...this.left].join(", ")}\n`;
  }
}

/** Anthropic requires a bound; a chat completion does not. */
const anthropicMaxTokens = 1_024;

function anthropicOf(baseUrl: string, body: Body): string {
  const said = new Said(body);
  const system = systemOf(body);
  const call = {
    model: body["model"],
    max_tokens: body["max_completion_tokens"] ?? anthropicMaxTokens,
    ...(system === "" ? {} : { system }),
    messages: turnsOf(body).map(({ role, content }) => ({
      role,
      content: Array.isArray(content)
        ? said.parts(content).map((part) =>
            "text" in part
              ? { type: "text", text: part.text }
              : {
                  type: "image",
                  source: { type: "base64", media_type: part.mediaType, data: part.data },
                },
          )
        : textOf(content),
    })),
    ...said.named({ temperature: "temperature", top_p: "top_p", stop: "stop_sequences" }),
  };
  said.named({ max_completion_tokens: "" });
  const act =
    body["stream"] === true
      ? `const stream = client.messages.stream(${written(call)});\nstream.on("text", (text) => process.stdout.write(text));\nawait stream.finalMessage();\n`
      : `const answer = await client.messages.create(${written(call)});\nconsole.log(answer.content);\n`;
  return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${JSON.stringify(rootOf(baseUrl))},
  apiKey: ${key},
});

${said.comment()}${act}`;
}

function googleOf(baseUrl: string, body: Body): string {
  const said = new Said(body);
  const system = systemOf(body);
  const config = {
    ...(system === "" ? {} : { systemInstruction: system }),
    ...said.named({
      temperature: "temperature",
      top_p: "topP",
      max_completion_tokens: "maxOutputTokens",
      stop: "stopSequences",
      seed: "seed",
      frequency_penalty: "frequencyPenalty",
      presence_penalty: "presencePenalty",
    }),
  };
  const call = {
    model: body["model"],
    contents: turnsOf(body).map(({ role, content }) => ({
      role: role === "assistant" ? "model" : "user",
      parts: said
        .parts(content)
        .map((part) =>
          "text" in part
            ? { text: part.text }
            : { inlineData: { mimeType: part.mediaType, data: part.data } },
        ),
    })),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  };
  const act =
    body["stream"] === true
      ? `const stream = await client.models.generateContentStream(${written(call)});\nfor await (const chunk of stream) {\n  process.stdout.write(chunk.text ?? "");\n}\n`
      : `const answer = await client.models.generateContent(${written(call)});\nconsole.log(answer.text);\n`;
  return `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: ${key},
  httpOptions: { baseUrl: ${JSON.stringify(rootOf(baseUrl))} },
});

${said.comment()}${act}`;
}

function langchainOf(baseUrl: string, body: Body): string {
  const said = new Said(body);
  const options = {
    model: body["model"],
    ...said.named({
      temperature: "temperature",
      top_p: "topP",
      max_completion_tokens: "maxTokens",
      stop: "stop",
      frequency_penalty: "frequencyPenalty",
      presence_penalty: "presencePenalty",
    }),
  };
  // These are sent as they are.
  const rest = said.rest();
  const all = Object.keys(rest).length === 0 ? options : { ...options, modelKwargs: rest };
  const head = written(all).replace(/\n}$/, ",");
  const messages = written(messagesOf(body));
  const act =
    body["stream"] === true
      ? `const stream = await model.stream(${messages});\nfor await (const chunk of stream) {\n  process.stdout.write(chunk.text);\n}\n`
      : `const answer = await model.invoke(${messages});\nconsole.log(answer.text);\n`;
  return `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI(${head}
  apiKey: ${key},
  configuration: { baseURL: ${JSON.stringify(baseUrl)} },
});

${act}`;
}

function vercelOf(baseUrl: string, body: Body): string {
  const said = new Said(body);
  const system = systemOf(body);
  const call = {
    ...(system === "" ? {} : { system }),
    messages: turnsOf(body).map(({ role, content }) => ({
      role,
      content: Array.isArray(content)
        ? said
            .parts(content)
            .map((part) =>
              "text" in part
                ? { type: "text", text: part.text }
                : { type: "file", mediaType: part.mediaType, data: part.data },
            )
        : textOf(content),
    })),
    ...said.named({
      temperature: "temperature",
      top_p: "topP",
      max_completion_tokens: "maxOutputTokens",
      stop: "stopSequences",
      seed: "seed",
      frequency_penalty: "frequencyPenalty",
      presence_penalty: "presencePenalty",
    }),
  };
  const isStream = body["stream"] === true;
  const name = isStream ? "streamText" : "generateText";
  const args = written(call).replace(/^{/, `{\n  model: plaza(${JSON.stringify(body["model"])}),`);
  const act = isStream
    ? `const { textStream } = streamText(${args});\nfor await (const text of textStream) {\n  process.stdout.write(text);\n}\n`
    : `const { text } = await generateText(${args});\nconsole.log(text);\n`;
  return `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ${name} } from "ai";

const plaza = createOpenAICompatible({
  name: "plaza",
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${key},
});

${said.comment()}${act}`;
}

const writers: Readonly<Record<SdkName, (baseUrl: string, body: Body) => string>> = {
  anthropic: anthropicOf,
  google: googleOf,
  langchain: langchainOf,
  vercel: vercelOf,
};

/** The code: TypeScript. `baseUrl` ends in `/v1`. */
export function sdkSample(name: SdkName, baseUrl: string, body: Body): string {
  return writers[name](baseUrl, body);
}
