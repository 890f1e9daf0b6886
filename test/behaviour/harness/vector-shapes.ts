/** Embeddings responses in upstream formats, and a reader for those that callers get. */

/** A test upstream's vector for the n-th input: 32-bit floats that need all their digits. */
export const vectorOf = (index: number, dimensions: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, at) => Math.sin(index * 31 + at + 0.1));

const base64Of = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");

/** Each number with the digits that distinguish it from other 32-bit floats. */
export const numbersOf = (vector: Float32Array): number[] =>
  [...vector].map((value) => Number(value.toPrecision(9)));

export interface AnswerOptions {
  readonly form?: "float" | "base64";
  readonly dimensions?: number;
  /** undefined: no usage is sent. */
  readonly usage?: unknown;
}

/** OpenAI's response to this many inputs. */
export function vectorsAnswer(
  count: number,
  { form = "float", dimensions = 4, usage }: AnswerOptions,
): { object: string; data: { index: number; embedding: unknown }[]; model: string } {
  const data = Array.from({ length: count }, (_, index) => {
    const vector = vectorOf(index, dimensions);
    const embedding = form === "base64" ? base64Of(vector) : numbersOf(vector);
    return { object: "embedding", index, embedding };
  });
  return { object: "list", data, model: "up", ...(usage === undefined ? {} : { usage }) };
}

export const tokens = (count: number): object => ({ prompt_tokens: count, total_tokens: count });

/** All vectors of a response, in either encoding. */
export function vectorsIn(body: Buffer): Float32Array[] {
  const { data } = JSON.parse(body.toString()) as { data: { embedding: string | number[] }[] };
  return data.map(({ embedding }) => {
    if (typeof embedding !== "string") return Float32Array.from(embedding);
    const bytes = new Uint8Array(Buffer.from(embedding, "base64"));
    return new Float32Array(bytes.buffer, 0, bytes.length / 4);
  });
}
