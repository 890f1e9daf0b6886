/**
 * What texts are embedded for, in the words of those who ask for it: Cohere's and NVIDIA's
 * `input_type`, Google's `task_type` (docs/wire/openai-embeddings.md section 6). A word of
 * one is read where another's is needed.
 */

/** The purposes that several vendors have a word for. */
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

/** The purpose a word stands for, whatever its case; undefined: it is one vendor's own. */
export function purposeOf(word: string): Purpose | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
