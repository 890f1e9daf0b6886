/**
 * Tools of a Responses request that an upstream would run and bill by the call: those that are only offered,
 * and those that the request insists on (docs/decisions/0009). Tools stand in `tools`, in namespaces there,
 * and in items that add tools to a conversation.
 */
import { itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import type { Offer } from "../../dispatch/without-offers.ts";
import { readTool } from "../generation/spending.ts";
import { isFreeChoice, isFreeTool } from "./free-tools.ts";

/** Where a request speaks of tools. Absent = not sent, or null. */
export interface ToolSpans {
  readonly tools: ValueSpan | undefined;
  readonly choice: ValueSpan | undefined;
  /** A text, or the list of items. */
  readonly input: ValueSpan;
  /** True when an item may have tools. */
  readonly hasItemTools: boolean;
}

export interface HostedTools {
  /** Paths of what must not be left out. */
  readonly demanded: readonly string[];
  /** undefined = none. */
  readonly offers: readonly Offer[] | undefined;
}

/** Longest choice that is read, in bytes; a longer one is taken to name every tool. */
const choiceBytesMax = 64 * 1024;

export function readHosted(body: Buffer, { tools, choice, input, hasItemTools }: ToolSpans): HostedTools {
  const items = tools === undefined ? [] : itemsOf(body, tools.start);
  const demanded: string[] = [];
  const left: number[] = [];
  const kinds = items.map((item) => kindOf(body, item));
  // `shell` is chosen without its environment, so the choice means a hosted one where there is one.
  const isShell = (index: number): boolean =>
    kinds[index] === "hosted" && (readTool(body, items[index] as ValueSpan)?.type ?? "shell") === "shell";
  const isOwnChoice = (type: unknown): boolean =>
    isFreeChoice(type) && !(type === "shell" && items.some((_, index) => isShell(index)));
  // A request with nothing but hosted tools is about them.
  const isOpen = kinds.some((kind) => kind !== "hosted") && leavesOpen(body, choice, isOwnChoice);
  for (const [index, item] of items.entries()) {
    const path = `tools[${index}]`;
    const kind = kinds[index];
    if (kind === "namespace") demanded.push(...hostedBelow(body, item, path));
    else if (kind === "hosted" && isOpen) left.push(index);
    else if (kind === "hosted") demanded.push(path);
  }
  if (hasItemTools) {
    for (const [index, item] of itemsOf(body, input.start).entries())
      demanded.push(...hostedBelow(body, item, `input[${index}]`));
  }
  return { demanded, offers: left.length === 0 ? undefined : offersOf(items, left) };
}

function kindOf(body: Buffer, item: ValueSpan): "own" | "namespace" | "hosted" {
  const tool = readTool(body, item);
  if (tool?.type === "namespace") return "namespace";
  return tool !== undefined && isFreeTool(body, item, tool) ? "own" : "hosted";
}

/** Paths of the hosted tools in the lists of tools that an object has. */
function hostedBelow(body: Buffer, item: ValueSpan, path: string): string[] {
  return membersOf(body, item.start)
    .filter(({ name }) => name === "tools")
    .flatMap(({ start }: MemberSpan) => itemsOf(body, start))
    .flatMap((inner, index) => {
      const at = `${path}.tools[${index}]`;
      const kind = kindOf(body, inner);
      if (kind === "own") return [];
      return kind === "hosted" ? [at] : hostedBelow(body, inner, at);
    });
}

/**
 * True when the choice is the model's, none, or one of the caller's own tools: no hosted one must be called.
 */
function leavesOpen(
  body: Buffer,
  choice: ValueSpan | undefined,
  isOwnChoice: (type: unknown) => boolean,
): boolean {
  if (choice === undefined) return true;
  if (choice.end - choice.start > choiceBytesMax) return false;
  const value = parseJson(body.toString("utf8", choice.start, choice.end));
  if (value === "auto" || value === "none") return true;
  const { type, tools } = recordOf(value);
  const isOwn = (one: unknown): boolean => one === "function" || one === "custom" || isOwnChoice(one);
  if (type !== "allowed_tools") return isOwn(type);
  return Array.isArray(tools) && tools.every((tool) => isOwn(recordOf(tool)["type"]));
}

/** `left`: indices, ascending; at least one item stays. */
function offersOf(items: readonly ValueSpan[], left: readonly number[]): Offer[] {
  const firstKept = items.findIndex((_, index) => !left.includes(index));
  return left.map((index) => ({ path: `tools[${index}]`, cut: cutOf(items, index, firstKept) }));
}

/** The item at `index` with one comma: the one before it where an item that stays is before it. */
function cutOf(items: readonly ValueSpan[], index: number, firstKept: number): ValueSpan {
  const { start, end } = items[index] as ValueSpan;
  if (index < firstKept) return { start, end: items[index + 1]?.start ?? end };
  return { start: items[index - 1]?.end ?? start, end };
}
