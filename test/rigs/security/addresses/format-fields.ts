/**
 * P25's places for an address in requests of the formats other than chat: each is a whole request without its
 * model, given the address.
 */
import { type EndpointName, pathOf } from "../../harness/endpoints.ts";

type Places = Readonly<Record<string, (url: string) => object>>;

const input = (...content: object[]): object => ({
  input: [{ role: "user", content: [{ type: "input_text", text: "x" }, ...content] }],
});
const message = (...content: object[]): object => ({
  max_tokens: 5,
  messages: [{ role: "user", content: [{ type: "text", text: "x" }, ...content] }],
});
const parts = (...more: object[]): object => ({
  contents: [{ role: "user", parts: [{ text: "x" }, ...more] }],
});

/** Every place of a body where an address can stand. */
const formatFields: Readonly<Record<Exclude<EndpointName, "chat">, Places>> = {
  responses: {
    "input_image.image_url": (url) => input({ type: "input_image", image_url: url, detail: "high" }),
    "input_image as an object": (url) => input({ type: "input_image", image_url: { url } }),
    "input_file.file_url": (url) => input({ type: "input_file", file_url: url, filename: url }),
    "input_file.file_data": (url) => input({ type: "input_file", file_data: url }),
    input_audio: (url) => input({ type: "input_audio", input_audio: { data: url, format: "wav" } }),
    "a call's output": (url) => ({
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: url }] },
      ],
    }),
    "a screenshot": (url) => ({
      input: [
        {
          type: "computer_call_output",
          call_id: "c",
          output: { type: "computer_screenshot", image_url: url },
        },
      ],
    }),
    "an annotation": (url) => ({
      input: [
        { role: "user", content: "x" },
        {
          type: "message",
          role: "assistant",
          content: [
            { type: "output_text", text: url, annotations: [{ type: "url_citation", url, title: url }] },
          ],
        },
        { role: "user", content: "x" },
      ],
    }),
    "a tool server": (url) => ({ ...input(), tools: [{ type: "mcp", server_label: "x", server_url: url }] }),
    "a tool server's connector": (url) => ({
      ...input(),
      tools: [
        { type: "mcp", server_label: "x", connector_id: url, authorization: url, headers: { host: url } },
      ],
    }),
    "a mask for images": (url) => ({
      ...input(),
      tools: [{ type: "image_generation", input_image_mask: { image_url: url } }],
    }),
    "a search's domains": (url) => ({
      ...input(),
      tools: [{ type: "web_search", filters: { allowed_domains: [url] }, search_context_size: "low" }],
    }),
    "a page that was opened": (url) => ({
      input: [
        { role: "user", content: "x" },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "open_page", url } },
      ],
    }),
    "a prompt's variables": (url) => ({
      prompt: { id: "pmpt_1", variables: { image: { type: "input_image", image_url: url } } },
    }),
    "what was said before": (url) => ({ ...input(), previous_response_id: url, conversation: { id: url } }),
    "a function's schema": (url) => ({
      ...input(),
      tools: [{ type: "function", name: "f", parameters: { $ref: url, $schema: url }, strict: false }],
    }),
    "text.format": (url) => ({
      ...input(),
      text: { format: { type: "json_schema", name: "x", schema: { type: "object", $ref: url } } },
    }),
    "background and hooks": (url) => ({ ...input(), webhook: url, metadata: { url }, prompt_cache_key: url }),
    instructions: (url) => ({ ...input(), instructions: url }),
  },
  messages: {
    "image source": (url) => message({ type: "image", source: { type: "url", url } }),
    "document source": (url) => message({ type: "document", source: { type: "url", url }, title: url }),
    "bytes of an image": (url) =>
      message({ type: "image", source: { type: "base64", media_type: "image/png", data: url } }),
    "a tool's result": (url) => ({
      max_tokens: 5,
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { url } }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t",
              content: [{ type: "image", source: { type: "url", url } }],
            },
          ],
        },
      ],
    }),
    "a search result": (url) =>
      message({ type: "search_result", source: url, title: "x", content: [{ type: "text", text: "x" }] }),
    "tool servers": (url) => ({ ...message(), mcp_servers: [{ type: "url", url, name: "x" }] }),
    "a tool that fetches": (url) => ({
      ...message(),
      tools: [{ type: "web_fetch_20250910", name: "web_fetch", allowed_domains: [url] }],
    }),
    "a page that was fetched": (url) =>
      message({
        type: "web_fetch_tool_result",
        tool_use_id: "srvtoolu_1",
        content: {
          type: "web_fetch_result",
          url,
          content: { type: "document", source: { type: "url", url } },
        },
      }),
    "a document of parts": (url) =>
      message({
        type: "document",
        source: { type: "content", content: [{ type: "image", source: { type: "url", url } }] },
      }),
    "a stored file": (url) => message({ type: "image", source: { type: "file", file_id: url } }),
    container: (url) => ({ ...message(), container: { id: url, skills: [{ skill_id: url }] } }),
    "a tool's schema": (url) => ({
      ...message(),
      tools: [{ name: "f", input_schema: { type: "object", $ref: url } }],
    }),
    system: (url) => ({ ...message(), system: [{ type: "text", text: url }], metadata: { user_id: url } }),
  },
  gemini: {
    "fileData.fileUri": (url) => parts({ fileData: { fileUri: url, mimeType: "image/png" } }),
    "file_data.file_uri": (url) => parts({ file_data: { file_uri: url, mime_type: "application/pdf" } }),
    "inlineData.data": (url) => parts({ inlineData: { mimeType: "image/png", data: url } }),
    "a function's response": (url) => ({
      contents: [
        { role: "user", parts: [{ text: "x" }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: { url } } }] },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                name: "f",
                response: { url },
                parts: [{ fileData: { fileUri: url, mimeType: "image/png" } }],
              },
            },
          ],
        },
      ],
    }),
    "url context": (url) => ({ ...parts(), tools: [{ urlContext: { url } }] }),
    "a retrieval": (url) => ({ ...parts(), tools: [{ retrieval: { externalApi: { endpoint: url } } }] }),
    "a search in an index": (url) => ({
      ...parts(),
      tools: [
        {
          retrieval: {
            externalApi: { apiSpec: "ELASTIC_SEARCH", endpoint: url, elasticSearchParams: { index: url } },
          },
        },
        { fileSearch: { fileSearchStoreNames: [url] } },
      ],
    }),
    "tool servers": (url) => ({
      ...parts(),
      tools: [{ mcpServers: [{ name: "x", streamableHttpTransport: { url, headers: { host: url } } }] }],
    }),
    "a place to write to": (url) => ({
      ...parts(),
      generationConfig: { imageConfig: { imageOutputOptions: { uri: url } }, speechConfig: { uri: url } },
      webhookConfig: { uris: [url] },
    }),
    "a part of a video": (url) =>
      parts({ fileData: { fileUri: url, mimeType: "video/mp4" }, videoMetadata: { fps: 1 } }),
    "cached content": (url) => ({ ...parts(), cachedContent: url }),
    systemInstruction: (url) => ({
      ...parts(),
      systemInstruction: { parts: [{ text: url }] },
      labels: { url },
    }),
    schema: (url) => ({
      ...parts(),
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: { $ref: url } },
    }),
  },
};

/** A place, and the request that has an address there. */
export interface FormatPlace {
  readonly name: string;
  /** Of the endpoint. */
  readonly format: EndpointName;
  request(model: string, url: string): { readonly path: string; readonly body: string };
}

/** The places of conversations in the formats other than chat. */
const conversationPlaces: readonly FormatPlace[] = (["responses", "messages", "gemini"] as const).flatMap(
  (endpoint) =>
    Object.entries(formatFields[endpoint]).map(([name, make]) => ({
      name: `${endpoint}: ${name}`,
      format: endpoint,
      request: (model, url) => ({
        path: pathOf(endpoint, { model, isStream: false }),
        body: JSON.stringify({ ...(endpoint === "gemini" ? {} : { model }), ...make(url) }),
      }),
    })),
);

const body = (value: object): string => JSON.stringify(value);
const imageAt = (url: string): object => ({ type: "image_url", image_url: { url } });

/** Paths beside those of conversations. */
const otherPlaces: readonly FormatPlace[] = [
  {
    name: "count_tokens",
    format: "messages",
    request: (model, url) => ({
      path: "/v1/messages/count_tokens",
      body: body({ model, ...formatFields.messages["image source"]?.(url), max_tokens: undefined }),
    }),
  },
  {
    name: "countTokens",
    format: "gemini",
    request: (model, url) => ({
      path: `/v1beta/models/${model}:countTokens`,
      body: body(formatFields.gemini["fileData.fileUri"]?.(url) ?? {}),
    }),
  },
  {
    name: "input_tokens",
    format: "responses",
    request: (model, url) => ({
      path: "/v1/responses/input_tokens",
      body: body({ model, ...formatFields.responses["input_image.image_url"]?.(url) }),
    }),
  },
  {
    name: "completions",
    format: "chat",
    request: (model, url) => ({
      path: "/v1/completions",
      body: body({ model, prompt: url, suffix: url, max_tokens: 5 }),
    }),
  },
  {
    name: "embeddings",
    format: "chat",
    request: (model, url) => ({
      path: "/v1/embeddings",
      body: body({ model, input: [{ content: [imageAt(url)] }], url }),
    }),
  },
  {
    name: "deployment in the path",
    format: "chat",
    request: (model, url) => ({
      path: `/openai/deployments/${model}/chat/completions?api-version=${encodeURIComponent(url)}`,
      body: body({ max_tokens: 5, messages: [{ role: "user", content: [imageAt(url)] }] }),
    }),
  },
  {
    name: "data sources",
    format: "chat",
    request: (model, url) => ({
      path: `/openai/deployments/${model}/chat/completions?api-version=2024-10-21`,
      body: body({
        max_tokens: 5,
        messages: [{ role: "user", content: "x" }],
        data_sources: [{ type: "azure_search", parameters: { endpoint: url, index_name: "x" } }],
      }),
    }),
  },
  {
    name: "query of a path",
    format: "gemini",
    request: (model, url) => ({
      path: `/v1beta/models/${model}:generateContent?${new URLSearchParams({ baseUrl: url, endpoint: url, uploadType: url, $alt: url })}`,
      body: body(parts()),
    }),
  },
];

/** What an upstream says that is asked for the tokens of a prompt; undefined: it is not at such a path. */
export function countAt(url: string): string | undefined {
  if (url.includes(":countTokens")) return '{"totalTokens":5}';
  return /\/(?:count|input)_tokens/.test(url)
    ? '{"object":"response.input_tokens","input_tokens":5}'
    : undefined;
}

/** All places of all formats. */
export const formatPlaces: readonly FormatPlace[] = [...conversationPlaces, ...otherPlaces];
