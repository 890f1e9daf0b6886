/** What of a body counts as prompt though nobody knows it as one: for estimates. */

/**
 * What stands beside the known prompts is settings up to this size together; of more, some template may make
 * a prompt.
 */
const settingBytesMax = 1_024;

/** Of so many bytes beside the known prompts, those that count as prompt. */
export const promptBytesAmong = (restBytes: number): number => (restBytes > settingBytesMax ? restBytes : 0);
