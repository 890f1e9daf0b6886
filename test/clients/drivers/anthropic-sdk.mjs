/** Anthropic's SDK: its own tool runner with thinking, streamed. */
import { apiKey, baseUrl, bash, description, load, model, prompt, schema, turnsMax } from "./shell.mjs";

const { default: Anthropic } = load("@anthropic-ai/sdk");
const client = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
const tools = [{ name: "bash", description, input_schema: schema }];
const messages = [{ role: "user", content: prompt }];

async function run() {
  for (let turn = 0; turn < turnsMax; turn++) {
    const thinking = { type: "adaptive" };
    const { content } = await client.messages
      .stream({ model, max_tokens: 4_096, thinking, tools, messages })
      .finalMessage();
    messages.push({ role: "assistant", content });
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return content.at(-1).text;
    const results = [];
    for (const { id, input } of calls)
      results.push({ type: "tool_result", tool_use_id: id, content: await bash(input) });
    messages.push({ role: "user", content: results });
  }
  throw new Error("it never ends");
}

process.stdout.write(await run());
