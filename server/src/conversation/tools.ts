/** The tools of a conversation and how they are to be used. Knows no wire format. */
import type { JsonRecord } from "../lib/record.ts";
import type { CacheMark } from "./blocks.ts";

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON Schema of the arguments; undefined = none. A custom tool takes a plain text instead. */
  readonly parameters: JsonRecord | undefined;
  readonly isStrict: boolean;
  readonly isCustom: boolean;
  /** What a custom tool's text is to look like, where it is not just any text. */
  readonly grammar: JsonRecord | undefined;
  readonly cache: CacheMark | undefined;
  /** Where it stood in the caller's request, and where what it declares stood. */
  readonly path: string;
  readonly declarationPath: string;
  readonly extras: JsonRecord | undefined;
}

/** `named`: this one and no other. `allowed`: among these, or (`mustCall`) one of these. */
export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "allowed"; readonly names: readonly string[]; readonly mustCall: boolean };

export interface ToolUse {
  readonly tools: readonly Tool[];
  /** undefined = not said. */
  readonly choice: ToolChoice | undefined;
  /** May several be called at once? undefined = not said. */
  readonly isParallel: boolean | undefined;
  /** The caller's protocol has room for one call in an answer, whatever `isParallel` says. */
  readonly hasRoomForOne: boolean;
}

/** Must a tool of the caller's be called? */
export const mustCall = ({ choice }: ToolUse): boolean =>
  choice?.kind === "required" || choice?.kind === "named" || (choice?.kind === "allowed" && choice.mustCall);
