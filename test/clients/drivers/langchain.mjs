/** LangChain for JavaScript, over chat completions or Responses, streamed. */
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

const { ChatOpenAI } = load("@langchain/openai");
const { HumanMessage, ToolMessage } = load("@langchain/core/messages");
const client = new ChatOpenAI({
  model,
  apiKey,
  maxRetries: 0,
  useResponsesApi: variant === "responses",
  configuration: { baseURL: baseUrl },
}).bindTools([{ type: "function", function: { name: "bash", description, parameters: schema } }]);

async function run() {
  const messages = [new HumanMessage(prompt)];
  for (let turn = 0; turn < turnsMax; turn++) {
    let answer;
    for await (const chunk of await client.stream(messages))
      answer = answer === undefined ? chunk : answer.concat(chunk);
    messages.push(answer);
    if (answer.tool_calls.length === 0) return answer.text;
    for (const { id, args } of answer.tool_calls)
      messages.push(new ToolMessage({ tool_call_id: id, content: await bash(args) }));
  }
  throw new Error("it never ends");
}

process.stdout.write(await run());
