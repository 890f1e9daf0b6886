export interface BuildStamp {
  /** Digest of package-lock.json. */
  readonly libraries: string;
  /** Time in milliseconds and size in bytes, by path from the root. */
  readonly sources: Readonly<Record<string, readonly [mtimeMs: number, size: number]>>;
}

export function manifestFile(root: string): string;

export function stampOf(root: string, files: readonly string[]): BuildStamp;

export function currentBuild(root: string): string | undefined;
