/** Decides how much of the unrecognised part of a body counts as prompt in estimates. */

/**
 * Up to this size in total, unrecognised fields are taken for settings. Beyond it, they may be prompt, since
 * a template may render them.
 */
const settingBytesMax = 1_024;

/** Returns how many of `restBytes` unrecognised bytes count as prompt. */
export const promptBytesAmong = (restBytes: number): number => (restBytes > settingBytesMax ? restBytes : 0);
