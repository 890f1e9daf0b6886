/** Types of launch.mjs, which is plain JavaScript so that an old Node can run it. */

export function ensureInstalled(root: string, isDev: boolean): Promise<void>;
export function runUnder(node: string): void;
export function dieWithLauncher(): void;
export function launch(options: {
  /** Absolute path. */
  script: string;
  words: readonly string[];
  isDev: boolean;
  /** Name of the process in lists of processes. */
  title: string;
}): Promise<void>;
/** By system, as in `linux x64`: the package of npm that holds a Node for it, and where in it the program is. */
export const packagedNodes: Readonly<Record<string, readonly [name: string, file: string]>>;
