/** What a key's project and tags may be: short labels by which usage is grouped. */

/** Most characters of a label. */
export const labelLengthMax = 40;

/** Most tags of a key. */
export const tagsMax = 8;

/** Most projects, and most tags, in a list of labels to choose from. */
export const labelsListedMax = 200;

export type LabelFault = "missing" | "tooLong" | "control";

/** What is wrong with a label without white space around it; undefined for a valid one. */
export function labelFault(label: string): LabelFault | undefined {
  if (label === "") return "missing";
  if (label.length > labelLengthMax) return "tooLong";
  return /\p{Cc}/u.test(label) ? "control" : undefined;
}
