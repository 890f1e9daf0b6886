/**
 * Services where `max_tokens` limits the answer only. Thinking comes on top and is billed, whether or not the
 * caller asked for it. Data only.
 */

/** How one service limits thinking. */
export interface ThinkingApart {
  /** Most thinking tokens when the request sets no limit. */
  readonly most: number;
  /** Limits that include the thinking. */
  readonly wholeBounds: readonly string[];
}

/**
 * By preset; read 2026-11-22. Sources: Model Studio's guide "Deep thinking" (longest chain of thought in its
 * model table), SiliconFlow's guide "Reasoning" (longest in its table), BytePlus' "Chat API" (`max_tokens`
 * excludes and `max_completion_tokens` includes the chain of thought; at most 65,536).
 */
const byPreset: Readonly<Record<string, ThinkingApart>> = {
  qwen: { most: 81_920, wholeBounds: [] },
  siliconflow: { most: 40_000, wholeBounds: [] },
  ark: { most: 65_536, wholeBounds: ["max_completion_tokens"] },
};

/** Returns undefined when the answer's limit includes thinking, or when that is unknown. */
export function thinkingApartOf(preset: string | undefined): ThinkingApart | undefined {
  return preset !== undefined && Object.hasOwn(byPreset, preset) ? byPreset[preset] : undefined;
}

/** Upstream names of models that think regardless of the request. */
export const alwaysThinks = /think|qwq|(?:^|[^a-z0-9])r1(?:$|[^0-9])|reason/i;

/** Fields that switch thinking off, and the value that does so, without spaces. */
export const thinkingSwitches: Readonly<Record<string, string>> = {
  enable_thinking: "false",
  thinking: '{"type":"disabled"}',
};
