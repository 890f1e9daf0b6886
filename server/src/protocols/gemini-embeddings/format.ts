/**
 * Embeddings at the Gemini API and Vertex AI (docs/wire/openai-embeddings.md section 7): three methods, each
 * with its own body. Knows neither addresses nor credentials.
 */
import { isRecord, recordOf } from "../../lib/record.ts";
import type { Sliced } from "../../lib/time/slices.ts";
import { cutVectors } from "../embeddings/cut-vectors.ts";
import { type Purpose, purposeOf } from "../embeddings/purposes.ts";
import {
  type DecodedEmbeddings,
  divide,
  type EmbeddingsFormat,
  type EmbeddingsRequest,
} from "../embeddings/request.ts";
import { leftoversOf, recordsOf, takeVectors } from "../embeddings/take-vectors.ts";
import { unsupported } from "../untranslatable.ts";
import { optionalCount } from "../usage-counts.ts";

/** The API method for a model's embeddings. */
export type EmbeddingsMethod = "batchEmbedContents" | "embedContent" | "predict";

/** `api`: the upstream's API. `model`: its name at the upstream, possibly with a collection prefix. */
export function methodOf(api: "gemini" | "vertex", model: string): EmbeddingsMethod {
  if (api === "gemini") return "batchEmbedContents";
  const name = model.split("/").at(-1) ?? "";
  const isNew = (name.includes("gemini") && name !== "gemini-embedding-001") || name.includes("maas");
  return isNew ? "embedContent" : "predict";
}

/** Google's task types by purpose. */
const taskTypes: Readonly<Record<Purpose, string>> = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};
const ownTaskTypes: ReadonlySet<string> = new Set([
  "SEMANTIC_SIMILARITY",
  "QUESTION_ANSWERING",
  "FACT_VERIFICATION",
  "CODE_RETRIEVAL_QUERY",
]);

function taskTypeOf({ purpose }: EmbeddingsRequest): string | undefined {
  if (purpose === undefined) return undefined;
  const common = purposeOf(purpose);
  if (common !== undefined) return taskTypes[common];
  const own = purpose.toUpperCase();
  if (ownTaskTypes.has(own)) return own;
  throw unsupported("input_type");
}

/** Settings common to all texts; absent when the caller gave none. */
interface Settings {
  readonly taskType?: string;
  readonly outputDimensionality?: number;
}

/** One text as it is sent. */
interface Entry {
  readonly text: string;
  readonly title?: string;
}

function entriesOf(texts: readonly string[], first: number, { hints }: EmbeddingsRequest): Entry[] {
  return texts.map((text, index) => {
    const title = hints?.titles?.[first + index];
    return title === undefined ? { text } : { text, title };
  });
}

function settingsOf(request: EmbeddingsRequest): Settings {
  const taskType = taskTypeOf(request);
  return {
    ...(taskType === undefined ? {} : { taskType }),
    ...(request.dimensions === undefined ? {} : { outputDimensionality: request.dimensions }),
  };
}

const contentOf = (text: string) => ({ parts: [{ text }] });

/** What a body is made of beside its texts. */
interface Shared {
  readonly settings: Settings;
  /** The model with its collection, as in the path. */
  readonly resource: string;
  /** Too long a text is an error, as at OpenAI, unless asked for. By default Vertex AI truncates silently. */
  readonly autoTruncate: boolean;
}

/** The body of one call, by method. */
const bodies: Readonly<Record<EmbeddingsMethod, (entries: readonly Entry[], shared: Shared) => object>> = {
  batchEmbedContents: (entries, { settings, resource }) => ({
    requests: entries.map(({ text, ...more }) => ({
      model: resource,
      content: contentOf(text),
      ...more,
      ...settings,
    })),
  }),
  embedContent: ([{ text, ...more } = { text: "" }], { settings, autoTruncate }) => ({
    content: contentOf(text),
    embedContentConfig: { ...more, ...settings, autoTruncate },
  }),
  predict: (entries, { settings: { taskType, outputDimensionality }, autoTruncate }) => ({
    instances: entries.map(({ text: content, ...more }) => ({
      content,
      ...more,
      ...(taskType === undefined ? {} : { task_type: taskType }),
    })),
    parameters: { autoTruncate, ...(outputDimensionality === undefined ? {} : { outputDimensionality }) },
  }),
};

/** The hints each method has a word for. */
const hinted: Readonly<Record<EmbeddingsMethod, ReadonlySet<string>>> = {
  batchEmbedContents: new Set(["taskType", "title"]),
  embedContent: new Set(["taskType", "title", "autoTruncate"]),
  predict: new Set(["taskType", "title", "autoTruncate"]),
};

/** Vertex AI's first Gemini model accepts one text per call. */
const textsMaxOf = (method: EmbeddingsMethod, model: string): number => {
  if (method === "batchEmbedContents") return 100;
  return method === "embedContent" || model.includes("gemini") ? 1 : 250;
};

/** `predict` accepts 20,000 tokens per call. In most scripts a token has at least two letters. */
const predictLettersMax = 40_000;

/** The members that hold the vectors, by method. */
const marks: Readonly<
  Record<EmbeddingsMethod, (answer: Readonly<Record<string, unknown>>) => readonly unknown[]>
> = {
  batchEmbedContents: ({ embeddings }) => (recordsOf(embeddings) ?? []).map(({ values }) => values),
  embedContent: ({ embedding }) => (isRecord(embedding) ? [embedding["values"]] : []),
  predict: ({ predictions }) =>
    (recordsOf(predictions) ?? []).map(({ embeddings }) => recordOf(embeddings)["values"]),
};

/**
 * The reported tokens of the whole call or of all its texts; undefined when none are reported, NaN when
 * implausible.
 */
function tokensOf(answer: Readonly<Record<string, unknown>>): number | undefined {
  const { promptTokenCount } = recordOf(answer["usageMetadata"]);
  if (promptTokenCount !== undefined && promptTokenCount !== null) return optionalCount(promptTokenCount);
  const entries = recordsOf(answer["predictions"])?.map(({ embeddings }) => embeddings);
  const statistics = (entries ?? recordsOf(answer["embeddings"]) ?? [answer["embedding"]]).map((entry) =>
    recordOf(recordOf(entry)["statistics"]),
  );
  const counts = statistics.map(({ token_count: snake, tokenCount }) => snake ?? tokenCount);
  if (counts.length === 0 || counts.some((one) => one === undefined || one === null)) return undefined;
  return counts.reduce((sum: number, one) => sum + optionalCount(one), 0);
}

function* decode(
  body: Buffer,
  method: EmbeddingsMethod,
  count: number,
): Sliced<DecodedEmbeddings | undefined> {
  const cut = yield* cutVectors(body, ["values"]);
  if (cut === undefined || !isRecord(cut.rest)) return undefined;
  const vectors = yield* takeVectors(body, cut, marks[method](cut.rest), count);
  if (vectors === undefined) return undefined;
  const tokens = tokensOf(cut.rest);
  return { vectors, inputTokens: tokens === undefined || Number.isNaN(tokens) ? undefined : tokens };
}

/** `resource`: the model with its collection, `models/…`. */
export function geminiEmbeddings(method: EmbeddingsMethod, resource: string): EmbeddingsFormat {
  const textsMax = textsMaxOf(method, resource);
  return {
    textsMax,
    encode(request) {
      const settings = settingsOf(request);
      const { dropped } = leftoversOf(request, hinted[method]);
      const shared = { settings, resource, autoTruncate: request.hints?.truncates === true };
      const make = (texts: readonly string[], first: number) => ({
        first,
        count: texts.length,
        body: Buffer.from(JSON.stringify(bodies[method](entriesOf(texts, first, request), shared))),
        dropped,
      });
      return divide(request.texts, textsMax, make, method === "predict" ? predictLettersMax : undefined);
    },
    decode: (body, _headers, count) => decode(body, method, count),
  };
}
