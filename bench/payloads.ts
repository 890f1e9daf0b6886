/** Request bodies of the load: prose of an exact size, the same in every run. */

const words =
  "the model reads a long letter from the harbour office about ships cargo weather and the price of grain while " +
  "our clerk keeps careful notes on every arrival delay café inspection signature and promise made before winter " +
  "so that nobody has to ask twice what was agreed between the captain the owner and the market";

/** A seeded random generator (mulberry32): numbers in 0..1, the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Prose with typical characters of prompts: line breaks, quotation marks, two-byte letters. */
function prose(random: () => number, charsMin: number): string {
  const list = words.split(" ");
  const pick = () => list[Math.floor(random() * list.length)] ?? "";
  let text = "";
  while (text.length < charsMin) {
    const sentence = Array.from({ length: 6 + Math.floor(random() * 12) }, pick).join(" ");
    text += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${random() < 0.1 ? ', "so it is".\n' : ". "}`;
  }
  return text;
}

/**
 * A chat request of exactly `bytes` bytes of JSON, split into messages of about 2 KB like a long
 * conversation.
 * @param extra further top-level fields, placed after `model`.
 */
export function chatBody(model: string, bytes: number, extra: Readonly<Record<string, unknown>>): Buffer {
  const random = seededRandom(bytes);
  const messages = [{ role: "system", content: "You answer briefly." }];
  const encode = () => Buffer.from(JSON.stringify({ model, ...extra, messages }));
  let size = encode().length;
  for (let turn = 0; bytes - size > 4400; turn++) {
    messages.push({ role: turn % 2 === 0 ? "user" : "assistant", content: prose(random, 2000) });
    size = encode().length;
  }
  const last = { role: "user", content: "" };
  messages.push(last);
  const room = bytes - encode().length;
  if (room < 0) throw new Error(`${bytes} bytes are too few for a request`);
  // The last message is plain ASCII: one byte per character gives the exact size.
  last.content = prose(random, room)
    .replaceAll(/[^a-zA-Z .,]/g, " ")
    .slice(0, room);
  return encode();
}

/** A short stream request with usage, so that every gateway forwards the same chunks. */
export function streamBody(model: string): Buffer {
  return chatBody(model, 512, { stream: true, stream_options: { include_usage: true }, max_tokens: 4096 });
}
