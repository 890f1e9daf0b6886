/** Google's SDK: a chat that keeps its own history, streamed, with thoughts. */
import { apiKey, baseUrl, bash, description, load, model, prompt, schema, turnsMax } from "./shell.mjs";

const { GoogleGenAI } = load("@google/genai");
const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
const functionDeclarations = [{ name: "bash", description, parametersJsonSchema: schema }];
const config = { tools: [{ functionDeclarations }], thinkingConfig: { includeThoughts: true } };
const chat = client.chats.create({ model, config });

async function run() {
  let message = [{ text: prompt }];
  for (let turn = 0; turn < turnsMax; turn++) {
    const calls = [];
    let text = "";
    for await (const chunk of await chat.sendMessageStream({ message })) {
      calls.push(...(chunk.functionCalls ?? []));
      text += chunk.text ?? "";
    }
    if (calls.length === 0) return text;
    message = [];
    for (const { id, name, args } of calls)
      message.push({ functionResponse: { id, name, response: { output: await bash(args) } } });
  }
  throw new Error("it never ends");
}

process.stdout.write(await run());
