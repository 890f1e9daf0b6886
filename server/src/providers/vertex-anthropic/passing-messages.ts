/**
 * Callers of Messages at Vertex AI: their bytes as they are, outside the edits of Anthropic's own API, the
 * model's name, which stands in the path, the version, which stands in the body, and what Vertex has not:
 * `service_tier` asks for a manner, it is left out and told, and a mark on the whole request is put on the
 * last block, where it would take effect. It must not parse values.
 */
import { cutsOf, itemsOf, type MemberSpan, membersOf } from "../../lib/json/spans.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { heldNames } from "../../protocols/anthropic-messages/endpoint/fields.ts";
import { allDropped } from "../anthropic/forwarded.ts";
import { heldIn, messagesEdits, noteEdits } from "../anthropic/passing-messages.ts";
import { bodyWith, memberEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";
import { callPath, headsFor, version } from "./call.ts";

/** Members of the body that do not go out. */
const gone = new Set<string>(["model", "models", "service_tier", "cache_control", ...heldNames]);

const named = (members: readonly MemberSpan[], name: string): MemberSpan | undefined =>
  members.find((member) => member.name === name);

/** The mark of the whole request on the last block of the last message, unless that has one of its own. */
function markEdits(body: Buffer, mark: MemberSpan, messages: MemberSpan | undefined): Edit[] | undefined {
  const last = messages === undefined ? undefined : itemsOf(body, messages.start).at(-1);
  const content = last === undefined ? undefined : named(membersOf(body, last.start), "content");
  const block = content === undefined ? undefined : itemsOf(body, content.start).at(-1);
  if (block === undefined) return undefined;
  if (named(membersOf(body, block.start), "cache_control") !== undefined) return [];
  return [memberEdit(body, block.start, `"cache_control":${body.toString("utf8", mark.start, mark.end)}`)];
}

export const passingMessages: HttpCodec = {
  isPicky: true,
  encode(request, upstream, credential, model) {
    const { body, spans } = request;
    const members = membersOf(body, 0);
    const heads = headsFor(request, upstream, credential);
    const uncut = { models: undefined, thread: undefined, diagnostics: undefined };
    const listed = { ...request, spans: { ...spans, ...uncut } };
    const { edits, dropped: cut } = messagesEdits(listed, heads.betas);
    for (const cut of cutsOf(members, ({ name }) => gone.has(name))) edits.push({ ...cut, text: "" });
    if (named(members, "anthropic_version") === undefined)
      edits.push(memberEdit(body, 0, `"anthropic_version":"${version}"`));
    const mark = named(members, "cache_control");
    const marks = mark === undefined ? [] : markEdits(body, mark, named(members, "messages"));
    edits.push(...(marks ?? []));
    edits.push(...noteEdits(body));
    const dropped = allDropped(
      cut,
      heldIn(body, spans),
      named(members, "service_tier") === undefined ? [] : ["service_tier"],
      marks === undefined ? ["cache_control"] : [],
      heads.dropped,
    );
    return {
      path: callPath(upstream, model, request.isStream),
      headers: heads.headers,
      body: bodyWith(body, edits),
      dropped,
    };
  },
};
