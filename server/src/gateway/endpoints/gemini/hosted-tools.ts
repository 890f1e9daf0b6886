/**
 * Tools of a Gemini request that run at Google and are billed by the call: those that are only offered beside
 * functions of the caller's own, and those that a request is about (docs/decisions/0009). One tool of the
 * list may hold several of them.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { JsonField } from "../../../lib/json/scan-shapes.ts";
import { cutsOf, itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { chargedApart } from "../../../providers/charged-apart.ts";
import type { Offer } from "../../dispatch/without-offers.ts";
import { cutOf, type HostedTools } from "../generation/offers.ts";
import { isHarmless } from "../generation/spending.ts";
import { invalid, storedFile } from "../shared-fields.ts";
import { foldedName } from "./spelling.ts";

/** Tools that search files stored at the upstream, by any account. */
const storeTools: ReadonlySet<string> = new Set(["filesearch", "retrieval"]);

/** One tool of the list. */
interface ReadTool {
  readonly path: string;
  readonly members: readonly MemberSpan[];
  readonly hosted: readonly MemberSpan[];
  readonly hasFunctions: boolean;
}

function readTool(body: Buffer, { start }: ValueSpan, path: string): ReadTool {
  const members = membersOf(body, start);
  const hosted: MemberSpan[] = [];
  let hasFunctions = false;
  for (const member of members) {
    const name = foldedName(member.name);
    if (body[member.start] === 0x6e) continue;
    if (storeTools.has(name)) throw storedFile(pathOf(path, member));
    if (name === "functiondeclarations") hasFunctions ||= itemsOf(body, member.start).length > 0;
    else if (!isFree(body, member)) hosted.push(member);
  }
  return { path, members, hosted, hasFunctions };
}

const pathOf = (path: string, { name }: MemberSpan): string => `${path}.${name.slice(0, 100)}`;

const isFree = (body: Buffer, { name, start, end }: MemberSpan): boolean =>
  Object.hasOwn(chargedApart, name) && isHarmless(body, { path: name, start, end });

/** Throws `invalid_request` for tools that are no list, `not_found` for one that reads a store. */
export function readHosted(body: Buffer, list: JsonField | undefined): HostedTools {
  if (list === undefined) return { demanded: [], offers: undefined };
  if (list.kind !== "array") throw invalid(message("wire.notList", { param: "tools" }), "tools");
  const items = itemsOf(body, list.start);
  const tools = items.map((item, index) => readTool(body, item, `tools[${index}]`));
  if (tools.every(({ hosted }) => hosted.length === 0)) return { demanded: [], offers: undefined };
  // Nothing in this format insists on a hosted tool, but a call with nothing else is about it.
  if (!tools.some(({ hasFunctions }) => hasFunctions))
    return {
      demanded: tools.flatMap(({ path, hosted }) => hosted.map((member) => pathOf(path, member))),
      offers: undefined,
    };
  const isLeft = ({ hosted, hasFunctions }: ReadTool): boolean => hosted.length > 0 && !hasFunctions;
  const firstKept = tools.findIndex((tool) => !isLeft(tool));
  const offers = tools.flatMap((tool, index): Offer[] =>
    isLeft(tool) ? [{ path: wholePath(tool), cut: cutOf(items, index, firstKept) }] : offersIn(tool),
  );
  return { demanded: [], offers };
}

/** A tool that holds several goes as one: what is left of it must be a tool. */
const wholePath = ({ path, hosted: [first, second] }: ReadTool): string =>
  first === undefined || second !== undefined ? path : pathOf(path, first);

/** Those in one object with functions. */
function offersIn({ path, members, hosted }: ReadTool): Offer[] {
  const cuts = cutsOf(members, (member) => hosted.includes(member));
  return hosted.map((member, index) => ({ path: pathOf(path, member), cut: cuts[index] as ValueSpan }));
}
