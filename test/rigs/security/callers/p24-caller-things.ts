/**
 * What a caller may name that is stored for an account, or lies at an upstream whose credential serves all
 * accounts: each as a request that names it, and who may.
 */
import type { CallerAsk, Owned } from "./p24-caller-stage.ts";

export interface Thing {
  readonly name: string;
  /**
   * `account`: keys of A that may use the model. `key`: the key that made it alone. `none`: it is served to
   * nobody, its owner included.
   */
  readonly whose: "account" | "key" | "none";
  /** Status and code for everybody else; of what is served to nobody, for all. */
  readonly refusal: string;
  /** The path in the table that it is about. */
  readonly route: string;
  /** `model`: one that the caller may use. */
  ask(of: Owned, model: string): CallerAsk;
}

const absent = "404 not_found";

const reading = (name: string, path: (of: Owned) => string, method: "GET" | "DELETE" = "GET"): Thing => ({
  name,
  whose: "account",
  refusal: absent,
  route: `${method} /v1/responses/*`,
  ask: (of) => ({ method, path: path(of) }),
});

/** Members of a Responses request that name something of an earlier answer. */
const references: Readonly<Record<string, (of: Owned) => object>> = {
  previous_response_id: ({ response }) => ({ input: "go on", previous_response_id: response }),
  item_reference: ({ item }) => ({ input: [{ type: "item_reference", id: item }] }),
  "an item's bare id": ({ item }) => ({ input: [{ id: item }] }),
  "a message's bare id": ({ item }) => ({ input: [{ type: "message", role: "assistant", id: item }] }),
  "a tool's container": ({ container }) => ({
    input: "go on",
    tools: [{ type: "code_interpreter", container }],
  }),
  "an item's container_id": ({ run, container }) => ({
    input: [
      { role: "user", content: "go on" },
      {
        id: run,
        type: "code_interpreter_call",
        status: "completed",
        code: "1",
        container_id: container,
        outputs: [],
      },
    ],
    tools: [{ type: "code_interpreter", container: { type: "auto" } }],
  }),
};

/** The paths that take a Responses request, with the model where they have it. */
const responsesPaths: readonly (readonly [route: string, path: (model: string) => string])[] = [
  ["POST /v1/responses", () => "/v1/responses"],
  ["POST /v1/responses/input_tokens", () => "/v1/responses/input_tokens"],
  ["POST /openai/deployments/*/responses", (model) => `/openai/deployments/${model}/responses`],
];

const referring: readonly Thing[] = responsesPaths.flatMap(([route, path]) =>
  Object.entries(references).map(
    ([name, fields]): Thing => ({
      name: `${name} at ${path("m")}`,
      whose: "account",
      refusal: absent,
      route,
      ask: (of, model) => ({ method: "POST", path: path(model), body: { model, ...fields(of) } }),
    }),
  ),
);

/** At an upstream, named in each format; the id is one that an answer to A named. */
const atUpstreams: readonly (readonly [
  name: string,
  route: string,
  path: string,
  body: (of: Owned, model: string) => object,
  refusal?: string,
])[] = [
  [
    "a file of chat",
    "POST /v1/chat/completions",
    "/v1/chat/completions",
    ({ item }, model) => ({
      model,
      messages: [{ role: "user", content: [{ type: "file", file: { file_id: item } }] }],
    }),
  ],
  [
    "the audio of an answer of chat",
    "POST /v1/chat/completions",
    "/v1/chat/completions",
    ({ item }, model) => ({
      model,
      messages: [
        { role: "assistant", audio: { id: item } },
        { role: "user", content: "hi" },
      ],
    }),
  ],
  [
    "a file of Responses",
    "POST /v1/responses",
    "/v1/responses",
    ({ response }, model) => ({
      model,
      input: [{ role: "user", content: [{ type: "input_file", file_id: response.replace("resp", "file") }] }],
    }),
  ],
  [
    "a conversation of Responses",
    "POST /v1/responses",
    "/v1/responses",
    ({ response }, model) => ({ model, input: "hi", conversation: response }),
    "400 invalid_request",
  ],
  [
    "a stored prompt of Responses",
    "POST /v1/responses",
    "/v1/responses",
    ({ response }, model) => ({ model, input: "hi", prompt: { id: response } }),
    "400 invalid_request",
  ],
  [
    "a file of Messages",
    "POST /v1/messages",
    "/v1/messages",
    ({ item }) => messagesBody([{ type: "document", source: { type: "file", file_id: item } }]),
  ],
  [
    "a file of a Messages count",
    "POST /v1/messages/count_tokens",
    "/v1/messages/count_tokens",
    ({ item }) => messagesBody([{ type: "image", source: { type: "file", file_id: item } }]),
  ],
  [
    "an upload to a container of Messages",
    "POST /v1/messages",
    "/v1/messages",
    ({ item }) => messagesBody([{ type: "container_upload", file_id: item }]),
  ],
  ...["/v1/messages", "/v1/messages/count_tokens"].flatMap((path) =>
    [
      ["a container", ({ container }: Owned) => ({ container })] as const,
      [
        "a container with skills",
        ({ container }: Owned) => ({ container: { id: container, skills: [] } }),
      ] as const,
      [
        "a skill",
        ({ item }: Owned) => ({ container: { skills: [{ type: "custom", skill_id: item }] } }),
      ] as const,
    ].map(
      ([name, named]) =>
        [
          `${name} of Messages at ${path}`,
          `POST ${path}`,
          path,
          (of: Owned) => ({ ...messagesBody("hi"), ...named(of) }),
        ] as const,
    ),
  ),
  ...["generateContent", "streamGenerateContent", "countTokens"].flatMap((method) =>
    [
      [
        "cachedContent",
        { cachedContent: "cachedContents/ITEM", contents: [{ parts: [{ text: "hi" }] }] },
      ] as const,
      ["a file", { contents: [{ parts: [{ fileData: { fileUri: "files/ITEM" } }] }] }] as const,
      [
        "a file's address",
        {
          contents: [
            {
              parts: [
                { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/ITEM" } },
              ],
            },
          ],
        },
      ] as const,
    ].map(
      ([name, body]) =>
        [
          `${name} of Gemini at ${method}`,
          `POST /v1beta/models/*:${method}`,
          `/v1beta/models/google:${method}`,
          ({ item }: Owned) => JSON.parse(JSON.stringify(body).replace("ITEM", item)) as object,
        ] as const,
    ),
  ),
];

function messagesBody(content: unknown): object {
  return { model: "claude", max_tokens: 9, messages: [{ role: "user", content }] };
}

export const things: readonly Thing[] = [
  reading("a stored response", ({ response }) => `/v1/responses/${response}`),
  reading("a stored response as a stream", ({ response }) => `/v1/responses/${response}?stream=true`),
  reading("the input of a stored response", ({ response }) => `/v1/responses/${response}/input_items`),
  reading("a stored response to delete", ({ response }) => `/v1/responses/${response}`, "DELETE"),
  {
    name: "the record of a call",
    whose: "key",
    refusal: absent,
    route: "GET /v1/requests/*",
    ask: ({ request }) => ({ method: "GET", path: `/v1/requests/${request}` }),
  },
  ...referring,
  ...atUpstreams.map(
    ([name, route, path, body, refusal = absent]): Thing => ({
      name,
      whose: "none",
      refusal,
      route,
      ask: (of, model) => ({ method: "POST", path, body: body(of, model) }),
    }),
  ),
  ...(["cancel", "compact"] as const).map(
    (what): Thing => ({
      name: `${what} of a stored response`,
      whose: "none",
      refusal: absent,
      route: "POST /v1/responses",
      ask: ({ response }) => ({ method: "POST", path: `/v1/responses/${response}/${what}`, body: {} }),
    }),
  ),
];
