/**
 * Services at which `max_tokens` bounds the answer alone: a model that thinks does so on top of it, and is
 * billed for it, whether or not the caller asked. As data; knows no code that acts on it.
 */

/** How one service bounds thinking. */
export interface ThinkingApart {
  /** Most tokens its models think where nobody names a bound. */
  readonly most: number;
  /** Bounds of the answer that include the thinking. */
  readonly wholeBounds: readonly string[];
}

/**
 * By preset; read 2026-11-22. Model Studio's guide "Deep thinking" (the longest chain of thought in its table
 * of models), SiliconFlow's guide "Reasoning" (the longest in its table), BytePlus' "Chat API" (`max_tokens`
 * without, `max_completion_tokens` with the chain of thought, at most 65,536).
 */
const byPreset: Readonly<Record<string, ThinkingApart>> = {
  qwen: { most: 81_920, wholeBounds: [] },
  siliconflow: { most: 40_000, wholeBounds: [] },
  ark: { most: 65_536, wholeBounds: ["max_completion_tokens"] },
};

/** undefined: what bounds the answer bounds the thinking as well, or nobody knows otherwise. */
export function thinkingApartOf(preset: string | undefined): ThinkingApart | undefined {
  return preset !== undefined && Object.hasOwn(byPreset, preset) ? byPreset[preset] : undefined;
}

/** Models that think whatever they are told, by the names upstreams give them. */
export const alwaysThinks = /think|qwq|(?:^|[^a-z0-9])r1(?:$|[^0-9])|reason/i;

/** Fields that switch thinking off, and the value that does, without blanks. */
export const thinkingSwitches: Readonly<Record<string, string>> = {
  enable_thinking: "false",
  thinking: '{"type":"disabled"}',
};
