/** A first call as code: curl, Python, TypeScript, with this installation's address. Pure. */

/** What a sample is filled with. */
export interface Sample {
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly model: string;
  /** The secret, or its placeholder. */
  readonly key: string;
}

/** Placeholder for a secret that is not shown. */
export const keyPlaceholder = "sk-plaza-…";

/** A text between single quotes of a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `curl`, ready to paste. */
export function curlCall({ baseUrl, model, key }: Sample): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  return [
    `curl ${baseUrl}/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellQuoted(body)}`,
  ].join("\n");
}

/** The official Python client. */
export function pythonCall({ baseUrl, model, key }: Sample): string {
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=${JSON.stringify(key)})`,
    "",
    "completion = client.chat.completions.create(",
    `    model=${JSON.stringify(model)},`,
    '    messages=[{"role": "user", "content": "Hello"}],',
    ")",
    "print(completion.choices[0].message.content)",
  ].join("\n");
}

/** The official TypeScript client. */
export function typescriptCall({ baseUrl, model, key }: Sample): string {
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: ${JSON.stringify(key)} });`,
    "",
    "const completion = await client.chat.completions.create({",
    `  model: ${JSON.stringify(model)},`,
    '  messages: [{ role: "user", content: "Hello" }],',
    "});",
    "console.log(completion.choices[0].message.content);",
  ].join("\n");
}
