/** Feeds received bytes to the official OpenAI SDK, to see what an application would get. */
import OpenAI from "openai";

/** A stream as an application sees it: chunks, then the normal end or an error. */
export interface SdkView {
  readonly chunks: number;
  readonly text: string;
  /** Finish reasons in the chunks. */
  readonly finishes: readonly string[];
  /** The thrown error; undefined when iteration ended normally. */
  readonly error: Error | undefined;
}

/** Reads a received stream with the SDK. */
export async function readWithSdk(status: number, contentType: string, body: Buffer): Promise<SdkView> {
  const client = new OpenAI({
    apiKey: "sk-nobody",
    logLevel: "off",
    maxRetries: 0,
    fetch: async () =>
      new Response(new Uint8Array(body), { status, headers: { "content-type": contentType } }),
  });
  return readStream(client, { model: "rig-model" });
}

/** Makes a streamed call with the SDK and reads it to its end. */
export async function readStream(client: OpenAI, more: { model: string; x_rig?: object }): Promise<SdkView> {
  const finishes: string[] = [];
  let chunks = 0;
  let text = "";
  try {
    const stream = await client.chat.completions.create({
      messages: [{ role: "user", content: "hello" }],
      stream: true,
      ...more,
    });
    for await (const chunk of stream) {
      chunks++;
      for (const choice of chunk.choices) {
        text += choice.delta?.content ?? "";
        if (typeof choice.finish_reason === "string") finishes.push(choice.finish_reason);
      }
    }
    return { chunks, text, finishes, error: undefined };
  } catch (error) {
    return { chunks, text, finishes, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
