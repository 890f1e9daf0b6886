/** Takes a code fence off an answer that is to be one JSON object, as its pieces come. Knows no protocol. */

const mayBeOpening = /^\s*(?:`{0,3}|```[A-Za-z]{0,10}[ \t]*\r?)$/;
const opening = /^\s*```[A-Za-z]{0,10}[ \t]*\r?\n/;

/** Nothing longer is held back as perhaps a fence. */
const heldMax = 200;

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/**
 * Where a closing fence, or the beginning of one, stands at the end of a text:
 * space, up to three backticks, space.
 */
function tailStart(text: string): number {
  let at = text.length;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  for (let ticks = 0; ticks < 3 && text[at - 1] === "`"; ticks += 1) at -= 1;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return text.length - at > heldMax ? text.length : at;
}

export class Fence {
  /** What may still turn out to be fence. */
  #held = "";
  #place: "before" | "inside" | "none" = "before";

  /** What of the text so far belongs to the answer. */
  push(text: string): string {
    if (this.#place === "none") return text;
    this.#held += text;
    if (this.#place === "before") {
      const beginning = this.#held.slice(0, heldMax);
      if (this.#held.length < heldMax && mayBeOpening.test(beginning)) return "";
      const found = opening.exec(beginning);
      this.#place = found === null ? "none" : "inside";
      if (found === null) return this.#take(this.#held.length);
      this.#held = this.#held.slice(found[0].length);
    }
    return this.#take(tailStart(this.#held));
  }

  /** The rest. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    if (this.#place !== "inside") return rest;
    return rest.trimEnd().endsWith("```") ? rest.trimEnd().slice(0, -3).trimEnd() : rest;
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}
