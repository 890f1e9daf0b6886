/**
 * The purpose of embedded texts in each vendor's words: Cohere's and NVIDIA's `input_type`, Google's
 * `task_type` (docs/wire/openai-embeddings.md section 6). Each vendor's word is accepted for the others.
 */

/** The purposes that several vendors support. */
export type Purpose = "query" | "document" | "classification" | "clustering";

const words: Readonly<Record<string, Purpose>> = {
  search_query: "query",
  query: "query",
  retrieval_query: "query",
  search_document: "document",
  document: "document",
  passage: "document",
  retrieval_document: "document",
  classification: "classification",
  clustering: "clustering",
};

/** The purpose a word stands for, ignoring case; undefined when only one vendor has it. */
export function purposeOf(word: string): Purpose | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
