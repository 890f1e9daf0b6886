/**
 * Callers of Gemini at upstreams that speak it: their bytes as they are, outside the output that is paid for,
 * a budget of thoughts beyond it and a model's name. The model and how the answer comes stand in the path;
 * few callers repeat it in the body. It must not parse the body.
 */
import { type MemberSpan, membersOf } from "../../lib/json/spans.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { factsOf } from "../../protocols/gemini/models.ts";
import { camelName } from "../../protocols/gemini/request/spelling.ts";
import { loweredBudget } from "../../protocols/gemini/thinking.ts";
import { type BoundSpans, bodyWith, boundEdits, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";
import { apiOf, callPath, googleHeaders, resourceOf } from "./endpoint.ts";

type Spans = Parameters<typeof boundEdits>[0]["spans"];

/** The bound stands in an object that need not be there. */
const boundSpans = ({ maxOutputTokens, generationConfig: config }: Spans): BoundSpans => ({
  known: [maxOutputTokens],
  insert(body, text) {
    const member = `"maxOutputTokens":${text}`;
    if (config === undefined) return memberEdit(body, 0, `"generationConfig":{${member}}`);
    const isObject = body[config.start] === 0x7b;
    if (isObject) return memberEdit(body, config.start, member);
    return { start: config.start, end: config.end, text: `{${member}}` };
  },
});

function nameEdits(body: Buffer, spans: Spans, model: string): Edit[] {
  const named = spans.model === undefined ? undefined : modelEdit(body, spans.model, resourceOf(model));
  return named === undefined ? [] : [named];
}

const named = (body: Buffer, start: number, name: string): readonly MemberSpan[] =>
  membersOf(body, start).filter((member) => camelName(member.name) === name);

/** A whole number, which may be written as a text; NaN for everything else. */
const wholeIn = (body: Buffer, { start, end }: MemberSpan): number =>
  end - start > 32 ? Number.NaN : Number(/^"?(\d+)"?$/.exec(body.toString("latin1", start, end))?.[1]);

interface BudgetEdits {
  readonly edits: readonly Edit[];
  /** The budget's name, where there is nothing left to think with. */
  readonly dropped: readonly string[] | undefined;
}

/** Keeps a budget of thoughts below the output that is paid for, since thoughts count against it. */
function budgetEdits(
  body: Buffer,
  { generationConfig: config }: Spans,
  most: number,
  model: string,
): BudgetEdits {
  const edits: Edit[] = [];
  let isOff = false;
  for (const thinking of config === undefined ? [] : named(body, config.start, "thinkingConfig")) {
    for (const { start, end, ...member } of named(body, thinking.start, "thinkingBudget")) {
      const budget = wholeIn(body, { start, end, ...member });
      if (!(budget > 0 && budget >= most)) continue;
      const lowered = loweredBudget(factsOf(model), budget, most);
      if (lowered > 0) {
        edits.push({ start, end, text: String(lowered) });
        continue;
      }
      // Nor may thoughts be asked for where none are made.
      isOff = true;
      edits.push({ start: thinking.start, end: thinking.end, text: '{"thinkingBudget":0}' });
      break;
    }
  }
  return { edits, dropped: isOff ? ["generationConfig.thinkingConfig.thinkingBudget"] : undefined };
}

const unchanged: BudgetEdits = { edits: [], dropped: undefined };

export const passingGemini: HttpCodec = {
  dropsWithinBound: true,
  encode(request, upstream, credential, model) {
    const { body, spans, isStream, outputTokensMax } = request;
    const budget =
      outputTokensMax === undefined ? unchanged : budgetEdits(body, spans, outputTokensMax, model);
    return {
      path: callPath(upstream.baseUrl, model, isStream),
      headers: googleHeaders(apiOf(upstream), credential, isStream),
      body: bodyWith(body, [
        ...nameEdits(body, spans, model),
        ...boundEdits(request, boundSpans(spans)),
        ...budget.edits,
        ...listEdits(body, spans),
      ]),
      dropped: budget.dropped,
    };
  },
};
