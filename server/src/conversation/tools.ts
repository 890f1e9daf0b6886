/** The tools of a conversation and the choice among them. Knows no wire format. */
import type { JsonRecord } from "../lib/record.ts";
import type { CacheMark } from "./blocks.ts";

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON Schema of the arguments; undefined: none. A custom tool takes plain text instead. */
  readonly parameters: JsonRecord | undefined;
  readonly isStrict: boolean;
  readonly isCustom: boolean;
  /** The grammar of a custom tool's text; undefined for free text. */
  readonly grammar: JsonRecord | undefined;
  readonly cache: CacheMark | undefined;
  /** Paths of the tool and of its declaration in the caller's request. */
  readonly path: string;
  readonly declarationPath: string;
  readonly extras: JsonRecord | undefined;
}

/** `named`: exactly this tool. `allowed`: any of these, and if `mustCall`, one of them must be called. */
export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "allowed"; readonly names: readonly string[]; readonly mustCall: boolean };

export interface ToolUse {
  readonly tools: readonly Tool[];
  /** Undefined: not given. */
  readonly choice: ToolChoice | undefined;
  /** True when several tools may be called at once; undefined: not given. */
  readonly isParallel: boolean | undefined;
  /** True when the caller's protocol allows only one call per answer, whatever `isParallel` says. */
  readonly hasRoomForOne: boolean;
}

/** True when one of the caller's tools must be called. */
export const mustCall = ({ choice }: ToolUse): boolean =>
  choice?.kind === "required" || choice?.kind === "named" || (choice?.kind === "allowed" && choice.mustCall);
