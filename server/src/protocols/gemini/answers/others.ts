/**
 * Gemini's smaller operations: counting tokens and the list of models (docs/wire/gemini.md section 14).
 * Request and answer shapes only; counting happens elsewhere.
 */
import { countIn } from "../../counting.ts";

export const countBody = (totalTokens: number): Buffer => Buffer.from(JSON.stringify({ totalTokens }));

/** The count in an upstream's answer; undefined when it has no plausible one. */
export const readCount = (body: Buffer): number | undefined => countIn(body, "totalTokens");

/** A model in the list of models. */
export interface ListedModel {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly inputTokenLimit?: number | undefined;
  readonly outputTokenLimit?: number | undefined;
  /** Like `generateContent`, `countTokens`, `embedContent`. */
  readonly methods: readonly string[];
}

function modelOnWire(model: ListedModel): object {
  const { name, displayName, description, inputTokenLimit, outputTokenLimit, methods } = model;
  return {
    name: `models/${name}`,
    version: "",
    displayName: displayName ?? name,
    ...(description === undefined ? {} : { description }),
    ...(inputTokenLimit === undefined ? {} : { inputTokenLimit }),
    ...(outputTokenLimit === undefined ? {} : { outputTokenLimit }),
    supportedGenerationMethods: methods,
  };
}

export const modelBody = (model: ListedModel): Buffer => Buffer.from(JSON.stringify(modelOnWire(model)));

/** All models on one page. */
export const modelsBody = (models: readonly ListedModel[]): Buffer =>
  Buffer.from(JSON.stringify({ models: models.map(modelOnWire) }));
