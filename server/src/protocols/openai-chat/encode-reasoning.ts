/**
 * Encodes earlier thoughts in an assistant message of a chat request. A caller of chat gets its own fields
 * back. For others the upstream's field is used, with thoughts of the called model only.
 */
import type { AssistantBlock, ReasoningBlock } from "../../conversation/blocks.ts";
import { parseJson } from "../../lib/record.ts";
import { detailsIn } from "./answers/thought-reader.ts";
import type { TurnRules } from "./dialect.ts";

type Fields = Record<string, unknown>;

/** An entry of `reasoning_details`. */
function detailOf({ text, signature, data, format, id }: ReasoningBlock): Fields {
  const said = text === undefined ? { type: "reasoning.encrypted", data } : { type: "reasoning.text", text };
  return {
    ...said,
    ...(signature === undefined ? {} : { signature }),
    ...(format === undefined ? {} : { format }),
    ...(id === undefined ? {} : { id }),
  };
}

/** The same, with members that only Plaza writes. */
const ownDetailOf = (block: ReasoningBlock, callsBefore: number): Fields => ({
  ...detailOf(block),
  ...(block.model === undefined ? {} : { model: block.model }),
  ...(callsBefore === 0 ? {} : { calls_before: callsBefore }),
});

/** True for plain text without signature or other data. */
const isPlain = ({ signature, data, format, model, id }: ReasoningBlock): boolean =>
  [signature, data, format, model, id].every((part) => part === undefined);

/** Plain text before everything else is `reasoning_content`; anything more is written as details. */
function keptOf(blocks: readonly AssistantBlock[]): Fields {
  const details: Fields[] = [];
  let calls = 0;
  let plain = "";
  for (const block of blocks) {
    if (block.kind === "tool call") calls += 1;
    if (block.kind !== "reasoning") continue;
    if (details.length === 0 && calls === 0 && isPlain(block)) plain = block.text ?? "";
    details.push(ownDetailOf(block, calls));
  }
  if (details.length === 0) return {};
  return details.length === 1 && plain !== "" ? { reasoning_content: plain } : { reasoning_details: details };
}

function wordsOf(blocks: readonly AssistantBlock[]): Fields {
  const texts = blocks.flatMap((block) => (block.kind === "reasoning" && block.text ? [block.text] : []));
  return texts.length === 0 ? {} : { reasoning_content: texts.join("\n\n") };
}

/** Signed or hidden thoughts of this model, else those remembered with the turn's calls. */
function detailsOf(blocks: readonly AssistantBlock[], { model, memory }: TurnRules): Fields {
  const own = blocks.flatMap((block) => {
    if (block.kind !== "reasoning" || (block.model !== undefined && block.model !== model)) return [];
    return block.signature === undefined && block.data === undefined ? [] : [detailOf(block)];
  });
  const recalled = (): readonly unknown[] =>
    blocks.flatMap((block) => {
      const kept = block.kind === "tool call" ? memory?.recall(block.id) : undefined;
      return kept === undefined ? [] : detailsIn(parseJson(kept), model);
    });
  const details = own.length > 0 ? own : recalled();
  return details.length === 0 ? {} : { reasoning_details: details };
}

export function reasoningOf(blocks: readonly AssistantBlock[], rules: TurnRules): Fields {
  if (rules.isKept) return keptOf(blocks);
  const { thoughts } = rules.dialect;
  if (thoughts === undefined) return {};
  return thoughts === "reasoning_content" ? wordsOf(blocks) : detailsOf(blocks, rules);
}
