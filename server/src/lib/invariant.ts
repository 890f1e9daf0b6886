/**
 * Rules that hold unless the program is wrong, checked in production where money rests on them. A broken one
 * ends the work it is met in, before anything of it is kept.
 */

/** A rule of the program itself does not hold: a bug, or a database changed by hand; never bad input. */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";

  constructor(rule: string, subject: string | undefined) {
    super(`broken invariant: ${rule}${subject === undefined ? "" : ` (${subject})`}`);
  }
}

/** Throws `BrokenInvariant` where `rule` does not hold. `subject`: an id of what it is about. */
export function invariant(holds: boolean, rule: string, subject?: string): asserts holds {
  if (!holds) throw new BrokenInvariant(rule, subject);
}
