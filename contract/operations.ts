/**
 * The operations of a model, each one path of `/v1`; a model has one or several. Decided in
 * docs/decisions/0008-a-model-has-operations.md.
 */

/** All operations, in the order in which a model's are stored and shown. */
export const operationNames = [
  "chat",
  "completion",
  "embeddings",
  "rerank",
  "moderation",
  "image",
  "speech",
  "transcription",
] as const;

export type Operation = (typeof operationNames)[number];

/** The operations of a model without a list. */
export const defaultOperations: readonly Operation[] = ["chat"];

/**
 * The path of each operation, and whether this version serves it. A test compares this with the table of
 * paths.
 */
export const operationPaths = {
  chat: { path: "/v1/chat/completions", isServed: true },
  completion: { path: "/v1/completions", isServed: true },
  embeddings: { path: "/v1/embeddings", isServed: true },
  rerank: { path: "/v1/rerank", isServed: false },
  moderation: { path: "/v1/moderations", isServed: false },
  image: { path: "/v1/images/generations", isServed: false },
  speech: { path: "/v1/audio/speech", isServed: false },
  transcription: { path: "/v1/audio/transcriptions", isServed: false },
} as const satisfies Record<Operation, { readonly path: string; readonly isServed: boolean }>;

/** Further paths at which models for chat are called, each in a format of its own. */
const formatPaths: readonly string[] = ["/v1/responses", "/v1/messages"];

/**
 * The paths this version serves: one of each operation in the order of `operationNames`, then other formats.
 */
export const servedPaths: readonly string[] = [
  ...operationNames
    .map((name) => operationPaths[name])
    .filter(({ isServed }) => isServed)
    .map(({ path }) => path),
  ...formatPaths,
];

interface HasOperations {
  readonly operations?: readonly Operation[] | undefined;
}

/** A model's operations; never empty. */
export const operationsOf = ({ operations }: HasOperations): readonly Operation[] =>
  operations ?? defaultOperations;

export const isFor = (model: HasOperations, operation: Operation): boolean =>
  operationsOf(model).includes(operation);

/** False when another model's answer is useless: vectors of different models cannot be compared. */
export const hasSubstitutes = (operation: Operation): boolean => operation !== "embeddings";

/** True when the substitute can answer some of the model's calls. */
export const mayReplace = (substitute: HasOperations, model: HasOperations): boolean =>
  operationsOf(model).some((operation) => hasSubstitutes(operation) && isFor(substitute, operation));

/**
 * Each operation once, in the order of `operationNames`. Undefined for the default, so that a model that
 * lists it and one without a list are equal.
 */
export function normalOperations(given: readonly Operation[]): readonly Operation[] | undefined {
  const operations = operationNames.filter((name) => given.includes(name));
  return operations.length === 0 || (operations.length === 1 && operations[0] === "chat")
    ? undefined
    : operations;
}
