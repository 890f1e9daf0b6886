/** Types of launch.mjs, which is plain JavaScript so that an old Node can run it. */

export function ensureInstalled(root: string, isDev: boolean): Promise<void>;
export function runUnder(node: string): void;
export function dieWithLauncher(): void;
export function launch(options: {
  /** Returns the script's absolute path. */
  script: () => string;
  words: readonly string[];
  isDev: boolean;
  /** Process title. */
  title: string;
}): Promise<void>;
/**
 * By platform, such as `linux x64`: the npm package with a Node binary for it, and the binary's path in it.
 */
export const packagedNodes: Readonly<Record<string, readonly [name: string, file: string]>>;
