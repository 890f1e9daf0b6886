/** Requests of P23 in the format of every endpoint: private texts in every place that has one. Pure. */
import { type EndpointName, pathOf, type Route } from "../../harness/endpoints.ts";
import type { Plan } from "../../upstream/plan.ts";
import type { Canaries } from "./p23-canaries.ts";

export interface PrivateCall {
  readonly model: string;
  readonly isStream: boolean;
  /** What the counting upstream is to do. */
  readonly plan: Partial<Plan>;
}

type Fields = Readonly<Record<string, unknown>>;
type Say = Canaries["text"];

/** Fields that every format has, with the plan in the user's words, where it survives translation. */
const plainly: Readonly<Record<EndpointName, (say: Say, words: string) => Fields>> = {
  chat: (say, words) => ({
    messages: [
      { role: "system", content: say("system prompt") },
      { role: "user", content: words },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c", type: "function", function: { name: "f", arguments: say("tool arguments") } },
        ],
      },
      { role: "tool", tool_call_id: "c", content: say("tool result") },
    ],
    tools: [{ type: "function", function: { name: "f", description: say("tool description") } }],
  }),
  responses: (say, words) => ({
    instructions: say("system prompt"),
    input: [
      { role: "user", content: [{ type: "input_text", text: words }] },
      { type: "function_call", call_id: "c", name: "f", arguments: say("tool arguments") },
      { type: "function_call_output", call_id: "c", output: say("tool result") },
    ],
    tools: [{ type: "function", name: "f", description: say("tool description"), parameters: {} }],
  }),
  messages: (say, words) => ({
    max_tokens: 100,
    system: say("system prompt"),
    messages: [
      { role: "user", content: [{ type: "text", text: words }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "c", name: "f", input: JSON.parse(say("tool arguments")) }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c", content: say("tool result") }],
      },
    ],
    tools: [{ name: "f", description: say("tool description"), input_schema: { type: "object" } }],
  }),
  gemini: (say, words) => ({
    systemInstruction: { parts: [{ text: say("system prompt") }] },
    contents: [
      { role: "user", parts: [{ text: words }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: JSON.parse(say("tool arguments")) } }] },
      {
        role: "user",
        parts: [{ functionResponse: { name: "f", response: { result: say("tool result") } } }],
      },
    ],
    tools: [{ functionDeclarations: [{ name: "f", description: say("tool description") }] }],
  }),
};

const listIn = (fields: Fields | undefined, name: string): readonly Fields[] =>
  (fields?.[name] ?? []) as Fields[];

/** What only some formats can say: files, names, labels. Sent where the bytes are passed. */
const besides: Readonly<Record<EndpointName, (say: Say, fields: Fields) => Fields>> = {
  chat: (say, fields) => {
    const [system, user, ...rest] = fields["messages"] as Fields[];
    const content = [
      { type: "text", text: user?.["content"] },
      { type: "image_url", image_url: { url: say("image address") } },
      { type: "file", file: { filename: "a.pdf", file_data: say("file data") } },
    ];
    return {
      messages: [system, { ...user, name: say("message name"), content }, ...rest],
      user: say("user"),
      metadata: { m: say("metadata") },
      stop: [say("stop")],
      x_unknown: say("unknown field"),
    };
  },
  responses: (say, fields) => {
    const [user, ...rest] = fields["input"] as Fields[];
    const content = [
      ...listIn(user, "content"),
      { type: "input_image", image_url: say("image address"), detail: "low" },
      { type: "input_file", filename: "a.pdf", file_data: say("file data") },
    ];
    return {
      input: [{ ...user, content }, ...rest],
      user: say("user"),
      metadata: { m: say("metadata") },
      x_unknown: say("unknown field"),
    };
  },
  messages: (say, fields) => {
    const [user, ...rest] = fields["messages"] as Fields[];
    const data = { type: "base64", media_type: "application/pdf", data: say("file data") };
    const content = [
      ...listIn(user, "content"),
      { type: "image", source: { type: "url", url: say("image address") } },
      { type: "document", source: data },
    ];
    return {
      messages: [{ ...user, content }, ...rest],
      metadata: { user_id: say("user") },
      stop_sequences: [say("stop")],
      x_unknown: say("unknown field"),
    };
  },
  gemini: (say, fields) => {
    const [user, ...rest] = fields["contents"] as Fields[];
    const parts = [
      ...listIn(user, "parts"),
      { fileData: { mimeType: "image/png", fileUri: say("image address") } },
      { inlineData: { mimeType: "application/pdf", data: say("file data") } },
    ];
    return {
      contents: [{ ...user, parts }, ...rest],
      labels: { m: say("metadata") },
      generationConfig: { stopSequences: [say("stop")] },
      x_unknown: say("unknown field"),
    };
  },
};

/** A request with private texts wherever its format, and that of the upstream, has a place for one. */
export function privateBody(
  canaries: Canaries,
  { endpoint, spoken }: Route,
  { model, isStream, plan }: PrivateCall,
): string {
  const say = canaries.text;
  const rig = `x-rig:${Buffer.from(JSON.stringify(plan)).toString("base64url")};`;
  const fields = plainly[endpoint](say, `${say("prompt")} ${say("content part")} ${rig}`);
  return JSON.stringify({
    ...(endpoint === "gemini" ? {} : { model, stream: isStream }),
    ...fields,
    ...(endpoint === spoken ? besides[endpoint](say, fields) : {}),
  });
}

/** The path of such a call, with a private text in its query. */
export function privatePath(
  canaries: Canaries,
  endpoint: EndpointName,
  call: Pick<PrivateCall, "model" | "isStream">,
): string {
  const path = pathOf(endpoint, call);
  return `${path}${path.includes("?") ? "&" : "?"}api_key=${canaries.text("query")}`;
}
