/** Every landed schema and the last commit whose code wrote it. The corpus has a database of each. */

export interface SchemaVersion {
  readonly version: number;
  /**
   * Undefined: no commit stopped at this schema as it landed; servers went from the one before to a later
   * one. (43e3fda6 and 5e7df1c8 stopped at 3 and 14 for an hour each, with migrations that were still
   * edited.)
   */
  readonly commit: string | undefined;
}

const commits: Readonly<Record<number, string>> = {
  1: "dac74fae",
  4: "a8bec471",
  5: "e07331e3",
  8: "c8f817dd",
  9: "689b2dc3",
  10: "7212f2e4",
  11: "713b183b",
  12: "c09f9915",
  13: "0c7465aa",
  15: "e582a95a",
  16: "d5179e7c",
  17: "81ae384f",
  18: "8e620ae4",
  19: "86af5c80",
  20: "9c8cca37",
  21: "3c7e8a59",
  22: "2a52f523",
  23: "1b4f25eb",
  25: "545fe8af",
  26: "9d16ae59",
  27: "76c63572",
  28: "fefc9f60",
  29: "b3244b56",
  30: "cd14e4c9",
  31: "9b176595",
  35: "4ae7fb95",
  36: "2e040ba4",
};

/** The newest schema of the corpus. */
export const newestInCorpus = 36;

export const schemaVersions: readonly SchemaVersion[] = Array.from(
  { length: newestInCorpus },
  (_, index) => ({
    version: index + 1,
    commit: commits[index + 1],
  }),
);
