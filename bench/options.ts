/** The command line of the benchmark and the size of a run. */
import { parseArgs } from "node:util";
import { pairsMax, pairsMin } from "./measure/paired.ts";
import { type CaseName, caseNames, peerCases, steadyCases } from "./report/reading.ts";

/** Size of a run. Times in milliseconds unless the name says otherwise. */
export interface RunSize {
  readonly rounds: number;
  /** Load before every window that does not count. */
  readonly leadInMs: number;
  /** Length of one window. */
  readonly windowMs: number;
  /** When a warm-up is complete. */
  readonly settle: SettleRule;
  /** The first load of a process that has just started: what counts as its beginning. */
  readonly freshMs: number;
  readonly streams: number;
  /** Time over which streams are opened. */
  readonly streamRampMs: number;
  readonly memoryRounds: number;
  /** Time from the last stream's start to the memory reading. */
  readonly memoryHoldMs: number;
  readonly firstTokenMs: number;
  /** Streams started per second in the first-token case. */
  readonly firstTokensPerSecond: number;
  /** Number of starts with existing data. */
  readonly starts: number;
  /** Rest before reading idle memory, and then the time over which idle CPU is read. */
  readonly idleMs: number;
  /** Maximum duration of the whole run. */
  readonly deadlineMs: number;
}

const shortRun: RunSize = {
  rounds: 4,
  leadInMs: 1000,
  windowMs: 3000,
  settle: { sliceMs: 2000, slices: 4, within: 0.08, slicesMax: 12 },
  freshMs: 5000,
  streams: 1000,
  streamRampMs: 500,
  memoryRounds: 2,
  memoryHoldMs: 2400,
  firstTokenMs: 3000,
  firstTokensPerSecond: 500,
  starts: 5,
  idleMs: 5000,
  deadlineMs: 900_000,
};

const longRun: RunSize = {
  rounds: 12,
  leadInMs: 2000,
  windowMs: 5000,
  settle: { sliceMs: 2000, slices: 6, within: 0.08, slicesMax: 30 },
  freshMs: 5000,
  streams: 1000,
  streamRampMs: 1000,
  memoryRounds: 5,
  memoryHoldMs: 7000,
  firstTokenMs: 5000,
  firstTokensPerSecond: 500,
  starts: 9,
  idleMs: 5000,
  deadlineMs: 3_600_000,
};

/**
 * Changes to a run beside other gateways: its load must be one that slow ones carry, too, and its windows
 * bounded, since there are many.
 */
const peersRun: Partial<RunSize> = {
  rounds: 3,
  settle: { sliceMs: 2000, slices: 3, within: 0.08, slicesMax: 8 },
  streams: 300,
  firstTokenMs: 3000,
  firstTokensPerSecond: 20,
  deadlineMs: 1_800_000,
};

/**
 * Longest duration of one pair of windows with its share of warm-ups, if every window is measured three
 * times.
 */
const pairDeadlineMs = 90_000;

export interface Options {
  readonly size: RunSize;
  readonly isLong: boolean;
  readonly cases: readonly CaseName[];
  /** Profile this case instead of measuring. */
  readonly profile: CaseName | undefined;
  readonly jsonFile: string | undefined;
  /** `plaza.mjs` or folder of the measured checkout; undefined = this one. */
  readonly plaza: string | undefined;
  /** The same for a checkout to compare with in pairs, instead of nginx. */
  readonly against: string | undefined;
  /** Settings of the measured build by the names of their environment variables; not those of `against`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly pairs: number;
  /** True: nginx is measured in every pair. */
  readonly hasNginx: boolean;
  /** Other gateways are measured beside Plaza and nginx. */
  readonly isPeers: boolean;
  /** True: those that the benchmark knows how to install. */
  readonly hasKnownPeers: boolean;
  /** Files that describe others. */
  readonly peerFiles: readonly string[];
  readonly mayMiss: boolean;
  readonly mayInstall: boolean;
}

export const usageText = `npm run bench -- [options]
  (none)             Plaza beside nginx, six to seven minutes; exit 0 = every target reached, 1 = one missed
  --long             nightly run, about fifteen minutes; also kept in bench/results/
  --only A,B         these cases only: ${caseNames.join(", ")}
  --json FILE        write every reading to FILE
  --rounds N --seconds N --streams N   another size (seconds = length of each window)
  --plaza PATH       measure this checkout (its folder, or its plaza.mjs) instead of the one the benchmark is in
  --set NAME=VALUE   start this build with a setting, such as PLAZA_TRANSPORT=node; may be given several times
  --no-fail          exit 0 even when a target is missed
  --no-install       never install nginx and wrk

npm run bench -- --against PATH [options]
  Is this checkout no slower than the one at PATH? Both take turns; exit 0 = yes, 1 = no, 3 = not told apart.
  --pairs N          pairs per case, ${pairsMin} to ${pairsMax}, 20 if not given; about 20 s each
  --only A,B         of ${steadyCases.join(", ")}; all if not given
  --nginx            nginx takes a turn in every pair
  --seconds N --streams N --json FILE --plaza PATH --set NAME=VALUE --no-fail --no-install   as above

npm run bench -- --peers [--peer FILE.json ...] [options]
  Other gateways beside Plaza, nginx and the direct call, in one table; exit 1 = one of them was not measured
  --peers            Portkey from npm, Ferro and LiteLLM from PyPI, installed below node_modules/.cache; ten minutes
  --peer FILE.json   a gateway of your own, see bench/peers/example.json; may be given several times
  --only A,B         of ${peerCases.join(", ")}; all if not given
  --rounds N --seconds N --streams N --json FILE --plaza PATH --no-fail --no-install   as above

npm run bench -- --profile CASE
  V8 CPU profile of Plaza during one case instead of measuring

Exit 2: the run could not be made.`;

function caseNamed(text: string): CaseName {
  const name = caseNames.find((candidate) => candidate === text);
  if (name === undefined) throw new Error(`no case ${text}; there are ${caseNames.join(", ")}`);
  return name;
}

function wholeNumber(
  text: string | undefined,
  name: string,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new Error(`--${name} takes ${least} to ${most}`);
  }
  return value;
}

const flags = {
  long: { type: "boolean", default: false },
  only: { type: "string" },
  profile: { type: "string" },
  json: { type: "string" },
  rounds: { type: "string" },
  seconds: { type: "string" },
  streams: { type: "string" },
  plaza: { type: "string" },
  against: { type: "string" },
  pairs: { type: "string" },
  nginx: { type: "boolean", default: false },
  peers: { type: "boolean", default: false },
  peer: { type: "string", multiple: true },
  set: { type: "string", multiple: true },
  "no-fail": { type: "boolean", default: false },
  "no-install": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Comparison = "nginx" | "pairs" | "peers";

const casesIn: Record<Comparison, readonly CaseName[]> = {
  nginx: caseNames,
  pairs: steadyCases,
  peers: peerCases,
};

function casesOf(only: string | undefined, comparison: Comparison): readonly CaseName[] {
  const possible = casesIn[comparison];
  if (only === undefined) return possible;
  const cases = [...new Set(only.split(",").map(caseNamed))];
  const wrong = cases.find((name) => !possible.includes(name));
  if (wrong !== undefined) {
    throw new Error(`${wrong} is not compared in ${comparison}, only ${possible.join(", ")}`);
  }
  return cases;
}

/** Reads NAME=VALUE. */
function settingsOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value = ""] = /^(PLAZA_[A-Z_]+)=(.*)$/.exec(word) ?? [];
      if (name === undefined) throw new Error(`--set takes PLAZA_NAME=VALUE, not ${word}`);
      return [name, value];
    }),
  );
}

/** Parses the arguments; undefined when help was requested. Throws with a message for the user. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({ args: [...args], allowPositionals: false, options: flags });
  if (values.help) return undefined;
  const isPairs = values.against !== undefined;
  const peerFiles = values.peer ?? [];
  const isPeers = values.peers || peerFiles.length > 0;
  if (isPeers && (isPairs || values.profile !== undefined)) {
    throw new Error("--peers and --peer exclude --against and --profile");
  }
  if (!isPairs && (values.pairs !== undefined || values.nginx)) {
    throw new Error("--pairs and --nginx need --against PATH: the checkout to compare with");
  }
  for (const name of ["long", "rounds", "profile"] as const) {
    if (isPairs && values[name]) throw new Error(`--${name} and --against exclude each other`);
  }
  const plain = values.long ? longRun : shortRun;
  const base = isPeers ? { ...plain, ...peersRun } : plain;
  const seconds = wholeNumber(values.seconds, "seconds", 1, 600);
  const windowMs = seconds === undefined ? undefined : seconds * 1000;
  const cases = casesOf(values.only, isPairs ? "pairs" : isPeers ? "peers" : "nginx");
  const pairs = wholeNumber(values.pairs, "pairs", pairsMin, pairsMax) ?? 20;
  return {
    size: {
      ...base,
      rounds: wholeNumber(values.rounds, "rounds", 1, 1000) ?? base.rounds,
      windowMs: windowMs ?? base.windowMs,
      firstTokenMs: isPeers ? base.firstTokenMs : (windowMs ?? base.firstTokenMs),
      streams: wholeNumber(values.streams, "streams", 1, 10_000) ?? base.streams,
      deadlineMs: isPairs ? base.deadlineMs + pairs * cases.length * pairDeadlineMs : base.deadlineMs,
    },
    isLong: values.long,
    cases,
    profile: values.profile === undefined ? undefined : caseNamed(values.profile),
    jsonFile: values.json,
    plaza: values.plaza,
    against: values.against,
    settings: settingsOf(values.set ?? []),
    pairs,
    hasNginx: values.nginx,
    isPeers,
    hasKnownPeers: values.peers,
    peerFiles,
    mayMiss: values["no-fail"],
    mayInstall: !values["no-install"],
  };
}

/** When a warm-up is complete. */
export interface SettleRule {
  /** Length of one slice of the load, milliseconds. */
  readonly sliceMs: number;
  /** Number of consecutive slices that must agree ... */
  readonly slices: number;
  /** ... with the highest and lowest no further apart than this share of their median. */
  readonly within: number;
  readonly slicesMax: number;
}
