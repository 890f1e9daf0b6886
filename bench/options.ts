/** The command line of the benchmark and the size of a run. Measures nothing. */
import { parseArgs } from "node:util";
import { type CaseName, caseNames } from "./reading.ts";

/** How much is measured. Times in milliseconds unless the name says otherwise. */
export interface RunSize {
  readonly rounds: number;
  /** Length of one JSON window, whole seconds (wrk counts no others). */
  readonly jsonSeconds: number;
  /** Plaza's warm-up in each JSON case before the first round, whole seconds. */
  readonly warmUpSeconds: number;
  readonly streams: number;
  /** Over how long the streams are opened. */
  readonly streamRampMs: number;
  /** From all streams established to the window. */
  readonly streamSettleMs: number;
  readonly streamWindowMs: number;
  readonly firstTokenMs: number;
  /** Starts with existing data. */
  readonly starts: number;
  /** Rest before idle memory is read. */
  readonly idleMs: number;
  /** The whole run is given up after this. */
  readonly deadlineMs: number;
}

const shortRun: RunSize = {
  rounds: 3,
  jsonSeconds: 2,
  warmUpSeconds: 6,
  streams: 1000,
  streamRampMs: 500,
  streamSettleMs: 400,
  streamWindowMs: 2000,
  firstTokenMs: 800,
  starts: 5,
  idleMs: 2000,
  deadlineMs: 240_000,
};

const longRun: RunSize = {
  rounds: 9,
  jsonSeconds: 5,
  warmUpSeconds: 10,
  streams: 1000,
  streamRampMs: 1000,
  streamSettleMs: 2000,
  streamWindowMs: 5000,
  firstTokenMs: 5000,
  starts: 9,
  idleMs: 5000,
  deadlineMs: 3_600_000,
};

export interface Options {
  readonly size: RunSize;
  readonly isLong: boolean;
  readonly cases: readonly CaseName[];
  /** Profile this case instead of measuring. */
  readonly profile: CaseName | undefined;
  readonly jsonFile: string | undefined;
  /** `plaza.mjs` of another checkout. */
  readonly plazaScript: string | undefined;
  readonly mayMiss: boolean;
  readonly mayInstall: boolean;
}

export const usageText = `npm run bench -- [options]
  (none)             short run, about a minute
  --long             nightly run, about ten minutes; also kept in bench/results/
  --only A,B         these cases only: ${caseNames.join(", ")}
  --profile CASE     V8 CPU profile of Plaza during one case instead of measuring
  --json FILE        write every reading to FILE
  --rounds N --seconds N --streams N   another size (seconds = length of each window)
  --plaza FILE       start this plaza.mjs instead of the checkout's own
  --no-fail          exit 0 even when a target is missed
  --no-install       never install nginx and wrk`;

function caseNamed(text: string): CaseName {
  const name = caseNames.find((candidate) => candidate === text);
  if (name === undefined) throw new Error(`no case ${text}; there are ${caseNames.join(", ")}`);
  return name;
}

function wholeNumber(text: string | undefined, name: string, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} takes 1 to ${most}`);
  return value;
}

/** Reads the arguments; undefined when help was asked for. Throws with a message for the user. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    allowPositionals: false,
    options: {
      long: { type: "boolean", default: false },
      only: { type: "string" },
      profile: { type: "string" },
      json: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      streams: { type: "string" },
      plaza: { type: "string" },
      "no-fail": { type: "boolean", default: false },
      "no-install": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  const base = values.long ? longRun : shortRun;
  const seconds = wholeNumber(values.seconds, "seconds", 600);
  const windowMs = seconds === undefined ? undefined : seconds * 1000;
  return {
    size: {
      ...base,
      rounds: wholeNumber(values.rounds, "rounds", 1000) ?? base.rounds,
      jsonSeconds: seconds ?? base.jsonSeconds,
      streamWindowMs: windowMs ?? base.streamWindowMs,
      firstTokenMs: windowMs ?? base.firstTokenMs,
      streams: wholeNumber(values.streams, "streams", 10_000) ?? base.streams,
    },
    isLong: values.long,
    cases: values.only === undefined ? caseNames : [...new Set(values.only.split(",").map(caseNamed))],
    profile: values.profile === undefined ? undefined : caseNamed(values.profile),
    jsonFile: values.json,
    plazaScript: values.plaza,
    mayMiss: values["no-fail"],
    mayInstall: !values["no-install"],
  };
}
