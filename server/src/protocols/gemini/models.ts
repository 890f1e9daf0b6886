/**
 * The differences between Gemini models, as a table (docs/wire/gemini.md sections 2, 5 and 7). No other file
 * in this folder uses model names. A model that differs gets its own row.
 */

/** Values of `thinkingLevel`, in ascending order. */
export type ThinkingLevel = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" | "XHIGH";

/** How the amount of thinking is set. */
export type Thinking =
  | { readonly kind: "levels"; readonly levels: readonly ThinkingLevel[] }
  /**
   * Budgets in tokens for the efforts none, low, medium and high; `least` and `max`: the smallest that is not
   * 0 and the largest.
   */
  | {
      readonly kind: "budgets";
      readonly none: number;
      readonly low: number;
      readonly medium: number;
      readonly high: number;
      readonly least: number;
      readonly max: number;
    };

export interface ModelFacts {
  /** Absent: it accepts no `thinkingConfig`. */
  readonly thinking?: Thinking | undefined;
  /** True when it thinks by default. Only then can thoughts be requested without a budget or level. */
  readonly thinksByItself: boolean;
  readonly takesSystem: boolean;
  /** True when the Gemini API accepts presence and frequency penalties for it. (Vertex does.) */
  readonly takesPenalties: boolean;
  /** True when a JSON answer can be requested together with functions. */
  readonly takesFormatWithTools: boolean;
  /** True when it accepts the mode VALIDATED, which makes calls follow their schemas. */
  readonly takesValidated: boolean;
  /** True when earlier calls without their signatures are refused. */
  readonly needsSignatures: boolean;
}

const plain: ModelFacts = {
  thinksByItself: false,
  takesSystem: true,
  takesPenalties: true,
  takesFormatWithTools: false,
  takesValidated: false,
  needsSignatures: false,
};

const newest: ModelFacts = {
  ...plain,
  thinksByItself: true,
  takesFormatWithTools: true,
  takesValidated: true,
  needsSignatures: true,
};

const second: ModelFacts = { ...plain, takesPenalties: false, takesValidated: true };

const levels = (...list: ThinkingLevel[]): Thinking => ({ kind: "levels", levels: list });
const flashBudgets: Thinking = {
  kind: "budgets",
  none: 0,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  least: 1,
  max: 24_576,
};
const liteBudgets: Thinking = { ...flashBudgets, least: 512 };
const proBudgets: Thinking = { ...flashBudgets, none: 128, least: 128, max: 32_768 };

/** The first pattern that matches the last segment of the name applies. */
const table: readonly (readonly [pattern: RegExp, facts: ModelFacts])[] = [
  [/^gemma-/, { ...plain, takesSystem: false }],
  [/^gemini-2\.5-flash-image/, second],
  [/^gemini-2\.5-pro/, { ...second, thinking: proBudgets, thinksByItself: true }],
  [/^gemini-2\.5-flash-lite/, { ...second, thinking: liteBudgets }],
  [/^gemini-2\.5-flash/, { ...second, thinking: flashBudgets, thinksByItself: true }],
  [/^gemini-2\.5/, second],
  [/^gemini-[01]\.|^gemini-2/, plain],
  [/^gemini-3-pro-image/, { ...newest, thinking: proBudgets }],
  // The first model of this line had only two levels.
  [/^gemini-3-pro(?!-image)/, { ...newest, thinking: levels("LOW", "HIGH") }],
  [/^gemini-4-hydrogen/, { ...newest, thinking: levels("LOW", "MEDIUM", "HIGH", "XHIGH") }],
  // From 3 on, -pro refuses MINIMAL; from 3.7 on, flash (not flash-lite) does too.
  [/^gemini-3(?:\.[0-6])?-flash/, { ...newest, thinking: levels("MINIMAL", "LOW", "MEDIUM", "HIGH") }],
  [
    /^gemini-(?:[3-9]|\d{2})(?:\.\d+)?-flash-lite/,
    { ...newest, thinking: levels("MINIMAL", "LOW", "MEDIUM", "HIGH") },
  ],
  [/^gemini-(?:[3-9]|\d{2})(?:[.-]|$)/, { ...newest, thinking: levels("LOW", "MEDIUM", "HIGH") }],
  // Names that always mean the newest model of a line.
  [/^gemini-(?:pro|flash|flash-lite)-latest/, { ...newest, thinking: levels("LOW", "MEDIUM", "HIGH") }],
];

/** The facts of a model by its name at the upstream. Unknown models are assumed to support little. */
export function factsOf(model: string): ModelFacts {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return table.find(([pattern]) => pattern.test(name))?.[1] ?? plain;
}
