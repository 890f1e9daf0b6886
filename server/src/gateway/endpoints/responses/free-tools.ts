/**
 * Tools of a Responses request that are OpenAI's by their type but that the caller runs, or that only choose
 * among tools: they cost nothing but tokens (docs/wire/openai-responses.md section 1). `shell` is one of them
 * only where its environment is local; elsewhere the upstream runs it in a container, by the hour.
 */
import { foldCase } from "../../../lib/json/scan-names.ts";
import { membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { isOwnTool } from "../../../providers/charged-apart.ts";
import { readTool } from "../generation/spending.ts";

const freeTypes: ReadonlySet<unknown> = new Set([
  "local_shell",
  "apply_patch",
  "computer",
  "computer_use",
  "computer_use_preview",
  "tool_search",
]);

/** True for a choice of a tool, by its type, that insists on no hosted one: `shell` may be either. */
export const isFreeChoice = (type: unknown): boolean => freeTypes.has(type) || type === "shell";

/** Judges a tool by what was read of it: true where it costs nothing but tokens. */
export function isFreeTool(body: Buffer, item: ValueSpan, { names, type }: ToolHead): boolean {
  const isFree = freeTypes.has(type) || (type === "shell" && isLocal(body, item));
  return isOwnTool(names, isFree ? "custom" : type);
}

type ToolHead = NonNullable<ReturnType<typeof readTool>>;

/** True where every reading of the tool finds one environment, of one type, and that is `local`. */
function isLocal(body: Buffer, item: ValueSpan): boolean {
  const environments = membersOf(body, item.start).filter(({ name }) => foldCase(name) === "environment");
  const [environment] = environments;
  if (environment?.name !== "environment" || environments.length > 1) return false;
  const head = readTool(body, environment);
  if (head?.type !== "local") return false;
  return head.names.every((name) => name === "type" || foldCase(name) !== "type");
}
