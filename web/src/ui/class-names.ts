/** Joins class names. Knows no component. */

/** Joins the texts; skips false, null and undefined. */
export function classNames(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
