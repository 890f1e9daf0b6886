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
  request(model: string, url: string): { readonly path: string; readonly body: string };
}

/** All places of all formats. */
export const formatPlaces: readonly FormatPlace[] = (["responses", "messages", "gemini"] as const).flatMap(
  (endpoint) =>
    Object.entries(formatFields[endpoint]).map(([name, make]) => ({
      name: `${endpoint}: ${name}`,
      request: (model, url) => ({
        path: pathOf(endpoint, { model, isStream: false }),
        body: JSON.stringify({ ...(endpoint === "gemini" ? {} : { model }), ...make(url) }),
      }),
    })),
);
