/** How long lines of the audit log are kept, in whole days: no line is gone sooner than is said. */
export function keptDays(keptMs: number): number {
  return Math.floor(keptMs / 86_400_000);
}
