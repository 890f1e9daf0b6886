/**
 * Callers of Messages at upstreams that speak it: their bytes as they are, so that prompt caches and
 * signatures hold, outside the model's name, the output that is paid for, the list of models and, elsewhere
 * than at Anthropic, the note that is for Anthropic. What an upstream would hold of the conversation is left
 * out. It must not parse the body.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { cutsOf, itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../lib/json/spans.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { thinksBetweenCalls } from "../../protocols/anthropic-messages/endpoint/betas.ts";
import { billingMark, heldNames } from "../../protocols/anthropic-messages/endpoint/fields.ts";
import type { FieldSpans, ProviderRequest } from "../../protocols/protocol.ts";
import { type BoundSpans, bodyWith, boundEdits, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";
import { headsFor, messagesPath } from "./call.ts";
import { allDropped } from "./forwarded.ts";

/** `max_tokens` is required: it is there, or the request was refused. */
const boundSpans = ({ spans }: ProviderRequest): BoundSpans => ({
  known: [spans.max_tokens],
  insert: (body, text) => memberEdit(body, 0, `"max_tokens":${text}`),
});

const named = (members: readonly MemberSpan[], name: string): MemberSpan | undefined =>
  members.find((member) => member.name === name);

/** The API's least budget of thinking, in tokens. */
const budgetMin = 1_024;

/** The edits of a body, and the fields they take away from the caller. */
interface MessagesEdits {
  readonly edits: Edit[];
  readonly dropped: readonly string[];
}

const unchanged: MessagesEdits = { edits: [], dropped: [] };

/** Keeps the budget of thinking below the output that is paid for; turns thinking off when it cannot. */
function budgetEdits(body: Buffer, outputTokensMax: number): MessagesEdits {
  const thinking = named(membersOf(body, 0), "thinking");
  const budget = thinking && named(membersOf(body, thinking.start), "budget_tokens");
  if (thinking === undefined || budget === undefined) return unchanged;
  const { start, end } = budget;
  if (Number(body.toString("latin1", start, end)) < outputTokensMax) return unchanged;
  if (outputTokensMax > budgetMin)
    return { edits: [{ start, end, text: String(outputTokensMax - 1) }], dropped: [] };
  const off = { start: thinking.start, end: thinking.end, text: '{"type":"disabled"}' };
  return { edits: [off], dropped: ["thinking.budget_tokens"] };
}

/** Takes Claude Code's note for Anthropic out of `system`: elsewhere it only spoils the prompt cache. */
export function noteEdits(body: Buffer): Edit[] {
  if (!body.includes(billingMark)) return [];
  const system = named(membersOf(body, 0), "system");
  const blocks = system === undefined ? [] : itemsOf(body, system.start);
  const isNote = ({ start }: ValueSpan): boolean => {
    const text = named(membersOf(body, start), "text");
    return text !== undefined && body.indexOf(billingMark, text.start) === text.start + 1;
  };
  const rest = blocks.findIndex((block) => !isNote(block));
  const [from, to] = [blocks[0], rest < 0 ? blocks.at(-1)?.end : blocks[rest]?.start];
  return from === undefined || to === undefined || rest === 0
    ? []
    : [{ start: from.start, end: to, text: "" }];
}

const isAnthropics = ({ baseUrl }: Upstream): boolean => /\.anthropic\.com$/.test(new URL(baseUrl).hostname);

/** Fields about what the upstream holds of earlier calls, as far as they ask for something. */
export const heldIn = (body: Buffer, spans: FieldSpans): readonly string[] =>
  heldNames.filter((name) => {
    const span = spans[name];
    return span !== undefined && body[span.start] !== 0x6e;
  });

/** Takes out what is the gateway's alone, and what an upstream stores: its ids belong to no account. */
function cutEdits(body: Buffer, spans: FieldSpans, held: readonly string[]): Edit[] {
  if (held.length === 0) return listEdits(body, spans);
  const gone = spans.models === undefined ? held : [...held, "models"];
  return cutsOf(membersOf(body, 0), ({ name }) => gone.includes(name)).map((cut) => ({ ...cut, text: "" }));
}

/**
 * The edits for every upstream that speaks Messages; those of the model's name are apart. `betas`: as they
 * are sent.
 */
export function messagesEdits(request: ProviderRequest, betas: readonly string[]): MessagesEdits {
  const { body, spans, outputTokensMax } = request;
  const held = heldIn(body, spans);
  const cuts = cutEdits(body, spans, held);
  if (outputTokensMax === undefined) return { edits: cuts, dropped: held };
  const budget = thinksBetweenCalls(betas) ? unchanged : budgetEdits(body, outputTokensMax);
  return {
    edits: [...boundEdits(request, boundSpans(request)), ...budget.edits, ...cuts],
    dropped: [...held, ...budget.dropped],
  };
}

export const passingMessages: HttpCodec = {
  // Betas may be left out.
  isPicky: true,
  encode(request, upstream, credential, model) {
    const edit = modelEdit(request.body, request.spans.model, model);
    const { headers, betas, dropped } = headsFor(request, upstream, credential);
    const { edits, dropped: cut } = messagesEdits(request, betas);
    if (edit !== undefined) edits.push(edit);
    if (!isAnthropics(upstream)) edits.push(...noteEdits(request.body));
    return {
      path: messagesPath(upstream),
      headers,
      body: bodyWith(request.body, edits),
      dropped: allDropped(cut, dropped),
    };
  },
};
