/**
 * Runtime assertions for rules that only a bug can break, active in production where money depends on them. A
 * broken rule ends the work before anything is stored.
 */

/** A broken rule of the program: a bug, or a database changed by hand; never bad input. */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";

  constructor(rule: string, subject: string | undefined) {
    super(`broken invariant: ${rule}${subject === undefined ? "" : ` (${subject})`}`);
  }
}

/** Throws `BrokenInvariant` unless `holds`. `subject`: the id it concerns. */
export function invariant(holds: boolean, rule: string, subject?: string): asserts holds {
  if (!holds) throw new BrokenInvariant(rule, subject);
}
