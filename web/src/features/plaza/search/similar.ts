/** Models whose ids are like a mistyped one. Knows no React. */
import type { PlazaModel } from "../models.ts";
import { compacted, folded } from "./words.ts";

function pairsOf(text: string): Set<string> {
  const plain = compacted(folded(text));
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** Models with similar ids, for a mistyped id: it may name a model that never was, which a search misses. */
export function similarModels(models: readonly PlazaModel[], id: string, most = 5): readonly PlazaModel[] {
  const wanted = pairsOf(id.slice(0, 300));
  return models
    .map((model) => {
      const pairs = pairsOf(model.id);
      const shared = [...pairs].filter((pair) => wanted.has(pair)).length;
      return { model, likeness: shared === 0 ? 0 : (2 * shared) / (pairs.size + wanted.size) };
    })
    .filter(({ likeness }) => likeness >= 0.45)
    .sort((left, right) => right.likeness - left.likeness)
    .slice(0, most)
    .map(({ model }) => model);
}
