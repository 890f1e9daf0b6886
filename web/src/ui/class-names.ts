/** Joins class names. Knows no component. */

/** Joins those that are texts; false, null and undefined are left out. */
export function classNames(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
