/** What `plaza doctor` found: whether it is in order, and if not, what to do. */

/** `problem`: calls fail, or soon will. `warning`: they do not, and somebody should look. */
export type Standing = "ok" | "warning" | "problem";

export interface Finding {
  /** What was looked at, in a few words. */
  readonly what: string;
  readonly standing: Standing;
  readonly text: string;
  /** What to do; absent where all is well. */
  readonly todo?: string;
}

export const ok = (what: string, text: string): Finding => ({ what, standing: "ok", text });

export const warning = (what: string, text: string, todo: string): Finding => ({
  what,
  standing: "warning",
  text,
  todo,
});

export const problem = (what: string, text: string, todo: string): Finding => ({
  what,
  standing: "problem",
  text,
  todo,
});

export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
