/**
 * Ids of audio in chat: an answer that is spoken has one, and a later request may send it back in place of
 * what was said. The upstream then opens the audio, for whichever account names it.
 */
import type { JsonField } from "../../../lib/json/scan-shapes.ts";
import { itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";
import type { NamedThing, NamedThings, RequestFields } from "../endpoint.ts";

/** The name of the member, for the body's scan to count. */
export const audioName = "audio";

/** What is read of a request that may name audio. */
export interface AudioFields extends RequestFields {
  readonly messages: JsonField;
  /** True when it names audio anywhere: it asks for a spoken answer, or sends the id of one back. */
  readonly hasAudio: boolean;
}

/** Longer texts are no ids. */
const idBytesMax = 512;

/** Of a name that occurs twice, upstreams may read either. */
const all = (body: Buffer, { start }: ValueSpan, name: string): MemberSpan[] =>
  membersOf(body, start).filter((member) => member.name === name);

/** A text's value; empty for longer texts and other values, which are no ids of any answer. */
function textIn(body: Buffer, { start, end }: ValueSpan): string {
  const value = end - start > idBytesMax ? undefined : parseJson(body.toString("utf8", start, end));
  return typeof value === "string" ? value : "";
}

/** The ids of a message's audio. */
function idsBelow(body: Buffer, message: ValueSpan): string[] {
  return all(body, message, audioName).flatMap((audio) =>
    all(body, audio, "id").flatMap((id) => (body[id.start] === 0x6e ? [] : [textIn(body, id)])),
  );
}

export const audioIds: NamedThings<AudioFields> = {
  inRequest({ hasAudio, messages }, body) {
    if (!hasAudio) return [];
    const found: NamedThing[] = [];
    for (const [index, message] of itemsOf(body, messages.start).entries())
      for (const id of idsBelow(body, message)) found.push({ id, param: `messages[${index}].audio.id` });
    return found;
  },
  // A request that names no audio gets none.
  inAnswer({ hasAudio }, body) {
    if (!hasAudio) return [];
    return all(body, { start: 0, end: body.length }, "choices").flatMap((choices) =>
      itemsOf(body, choices.start).flatMap((choice) =>
        all(body, choice, "message").flatMap((message) => idsBelow(body, message)),
      ),
    );
  },
};
