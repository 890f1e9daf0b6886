/**
 * Any code point that text can have, for random texts. fast-check's own unit "binary" means the same, but
 * lists all million of them when it is made, which takes a second.
 */
import fc from "fast-check";

const surrogatesStart = 0xd800;
const surrogatesCount = 0x800;

export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogatesCount })
  .map((nth) => String.fromCodePoint(nth < surrogatesStart ? nth : nth + surrogatesCount));
