/** A call of `/v1/embeddings` from the console, and how alike two vectors are. Knows no React. */
import { type CallFault, callEndpoint, type Endpoint, faultOf } from "../../playground/endpoint.ts";

/** What one call brought. */
export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number | null;
  /** USD, as the endpoint said it. */
  readonly charge: string | null;
  /** Why there are no vectors. */
  readonly fault: CallFault | null;
}

/** As many texts as a page can show. */
const textsMax = 20;

/** The texts of lines that are not blank. */
export function textsIn(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").slice(0, textsMax);
}

interface Answer {
  readonly data: readonly { readonly embedding: readonly number[] }[];
  readonly usage?: { readonly prompt_tokens?: number };
}

/** Throws what `callEndpoint` throws. */
export async function embed(
  endpoint: Endpoint,
  asked: {
    readonly model: string;
    readonly keyId: string;
    readonly texts: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<Embedded> {
  const { model, keyId, texts, signal } = asked;
  const answer = await callEndpoint(endpoint, keyId, "/embeddings", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
    signal,
  });
  if (!answer.ok) return { vectors: [], tokens: null, charge: null, fault: await faultOf(answer) };
  const { data, usage } = (await answer.json()) as Answer;
  return {
    vectors: data.map(({ embedding }) => embedding),
    tokens: usage?.prompt_tokens ?? null,
    charge: answer.headers.get("x-plaza-charge"),
    fault: null,
  };
}

const product = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

/** The cosine of the angle between two vectors: 1 for the same direction; 0 if one is zero. */
export function likeness(a: readonly number[], b: readonly number[]): number {
  const lengths = Math.sqrt(product(a, a) * product(b, b));
  return lengths === 0 ? 0 : product(a, b) / lengths;
}
