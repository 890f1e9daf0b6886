/** OpenAI's SDK, over chat completions or Responses, streamed by its helpers. */
import {
  apiKey,
  baseUrl,
  bash,
  description,
  load,
  model,
  prompt,
  schema,
  turnsMax,
  variant,
} from "./shell.mjs";

const { default: OpenAI } = load("openai");
const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });

async function chat() {
  const messages = [{ role: "user", content: prompt }];
  const tools = [{ type: "function", function: { name: "bash", description, parameters: schema } }];
  for (let turn = 0; turn < turnsMax; turn++) {
    const { choices } = await client.chat.completions
      .stream({ model, messages, tools, stream_options: { include_usage: true } })
      .finalChatCompletion();
    const { message } = choices[0];
    // As its documentation does: the message goes back as it came.
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: await bash(JSON.parse(call.arguments)) });
  }
  throw new Error("it never ends");
}

/** Either sends the whole list back, stateless, or refers to the response before. */
async function responses(isStateless) {
  const tools = [{ type: "function", name: "bash", description, parameters: schema, strict: true }];
  const state = isStateless ? { store: false, include: ["reasoning.encrypted_content"] } : {};
  let input = [{ role: "user", content: prompt }];
  let previous = {};
  for (let turn = 0; turn < turnsMax; turn++) {
    const response = await client.responses
      .stream({ model, input, tools, reasoning: { summary: "auto" }, ...state, ...previous })
      .finalResponse();
    const calls = response.output.filter(({ type }) => type === "function_call");
    if (calls.length === 0) return response.output_text;
    const outputs = [];
    for (const { call_id, arguments: args } of calls)
      outputs.push({ type: "function_call_output", call_id, output: await bash(JSON.parse(args)) });
    const items = response.output.map(({ parsed_arguments: _, ...item }) => item);
    input = isStateless ? [...input, ...items, ...outputs] : outputs;
    previous = isStateless ? {} : { previous_response_id: response.id };
  }
  throw new Error("it never ends");
}

process.stdout.write(await (variant === "chat" ? chat() : responses(variant === "stateless")));
