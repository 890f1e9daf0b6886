/** Removes a code fence from an answer that should be one JSON object, piece by piece. Knows no protocol. */

const mayBeOpening = /^\s*(?:`{0,3}|```[A-Za-z]{0,10}[ \t]*\r?)$/;
const opening = /^\s*```[A-Za-z]{0,10}[ \t]*\r?\n/;

/** Longest text held back as a possible fence. */
const heldMax = 200;

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/**
 * Where a possible closing fence starts at the end of a text: whitespace, up to three backticks, whitespace.
 */
function tailStart(text: string): number {
  let at = text.length;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  for (let ticks = 0; ticks < 3 && text[at - 1] === "`"; ticks += 1) at -= 1;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return text.length - at > heldMax ? text.length : at;
}

export class Fence {
  /** Text that may still be part of a fence. */
  #held = "";
  #place: "before" | "inside" | "none" = "before";

  /** Adds a piece; returns the text that is certainly part of the answer. */
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

  /** Returns the rest of the answer. */
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
