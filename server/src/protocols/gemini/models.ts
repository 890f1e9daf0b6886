/**
 * What differs from one Gemini model to the next, as a table (docs/wire/gemini.md sections 2, 5 and 7). A
 * model with new habits gets a row here; nothing else in this folder knows a model's name.
 */

/** Names of `thinkingLevel`, from little to much. */
export type ThinkingLevel = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" | "XHIGH";

/** How a model is told how much to think. */
export type Thinking =
  | { readonly kind: "levels"; readonly levels: readonly ThinkingLevel[] }
  /** Budgets in tokens for an effort of none, low, medium and high; `max`: the largest it takes. */
  | {
      readonly kind: "budgets";
      readonly none: number;
      readonly low: number;
      readonly medium: number;
      readonly high: number;
      readonly max: number;
    };

export interface ModelFacts {
  /** Absent: it takes no `thinkingConfig`. */
  readonly thinking?: Thinking | undefined;
  /** Does it think where nothing is said? Only then thoughts may be asked for without a budget or a level. */
  readonly thinksByItself: boolean;
  readonly takesSystem: boolean;
  /** Does the Gemini API take presence and frequency penalties for it? (Vertex does.) */
  readonly takesPenalties: boolean;
  /** May a JSON answer be asked for while functions may be called? */
  readonly takesFormatWithTools: boolean;
  /** Does it take the mode VALIDATED, which holds calls to their schemas? */
  readonly takesValidated: boolean;
  /** Are calls in the history refused without their signatures? */
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
  max: 24_576,
};
const proBudgets: Thinking = { ...flashBudgets, none: 128, max: 32_768 };

/** The first pattern that fits the last segment of the name counts. */
const table: readonly (readonly [pattern: RegExp, facts: ModelFacts])[] = [
  [/^gemma-/, { ...plain, takesSystem: false }],
  [/^gemini-2\.5-flash-image/, second],
  [/^gemini-2\.5-pro/, { ...second, thinking: proBudgets, thinksByItself: true }],
  [/^gemini-2\.5-flash-lite/, { ...second, thinking: flashBudgets }],
  [/^gemini-2\.5-flash/, { ...second, thinking: flashBudgets, thinksByItself: true }],
  [/^gemini-2\.5/, second],
  [/^gemini-[01]\.|^gemini-2/, plain],
  [/^gemini-3-pro-image/, { ...newest, thinking: proBudgets }],
  // The first of the line knew two levels only.
  [/^gemini-3-pro(?!-image)/, { ...newest, thinking: levels("LOW", "HIGH") }],
  [/^gemini-4-hydrogen/, { ...newest, thinking: levels("LOW", "MEDIUM", "HIGH", "XHIGH") }],
  // MINIMAL is refused by -pro from 3 on, and by flash (not flash-lite) from 3.7 on.
  [/^gemini-3(?:\.[0-6])?-flash/, { ...newest, thinking: levels("MINIMAL", "LOW", "MEDIUM", "HIGH") }],
  [
    /^gemini-(?:[3-9]|\d{2})(?:\.\d+)?-flash-lite/,
    { ...newest, thinking: levels("MINIMAL", "LOW", "MEDIUM", "HIGH") },
  ],
  [/^gemini-(?:[3-9]|\d{2})(?:[.-]|$)/, { ...newest, thinking: levels("LOW", "MEDIUM", "HIGH") }],
  // Names that move with the newest model of a line.
  [/^gemini-(?:pro|flash|flash-lite)-latest/, { ...newest, thinking: levels("LOW", "MEDIUM", "HIGH") }],
];

/** What is known of a model by its name at the upstream; of others it is assumed that they can little. */
export function factsOf(model: string): ModelFacts {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return table.find(([pattern]) => pattern.test(name))?.[1] ?? plain;
}
