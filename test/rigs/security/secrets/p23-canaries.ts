/**
 * The canaries of P23: unique texts planted as secrets and private texts, and a search for them in any bytes.
 * Pure.
 */
import type { Random } from "../../harness/random.ts";

/** A planted text. */
export interface Canary {
  readonly name: string;
  /** The part that is searched for; unique in the run. */
  readonly core: string;
  /** The planted text: the core in the format of its kind. */
  readonly text: string;
  /** `caller`: may be returned to the caller that sent it only. `secret`: must not appear anywhere. */
  readonly kind: "caller" | "secret";
}

export interface Canaries {
  readonly all: readonly Canary[];
  /** Text planted under this name; throws for an unknown name. */
  text(name: string): string;
  /** Texts that the upstream repeats in errors: secrets, followed by the caller's texts. */
  readonly leaks: readonly string[];
  /** Index in `leaks` of the first caller's text. */
  readonly wordsFrom: number;
  /** Headers of every upstream response. */
  readonly headers: Readonly<Record<string, string>>;
}

const shapes: readonly [string, Canary["kind"], (core: string) => string][] = [
  ["upstream credential", "secret", (core) => `sk-up-${core}`],
  ["second upstream credential", "secret", (core) => `sk-proj-${core}_${core}`],
  ["header of an upstream", "secret", (core) => `gateway-${core}`],
  ["collector header", "secret", (core) => `secret-${core}`],
  ["upstream path", "secret", (core) => `/deep/${core}/v1`],
  ["leak: organization", "secret", (core) => `org-${core}`],
  ["upstream header: set-cookie", "secret", (core) => `session=${core}; Path=/`],
  ["upstream header: x-ms-region", "secret", (core) => `eu-${core}`],
  ["upstream header: via", "secret", (core) => `1.1 https://${core.toLowerCase()}.internal.example:8443`],
  ["leak: request id", "secret", (core) => `request id: ${core}`],
  ["leak: host", "secret", (core) => `https://${core.toLowerCase()}.internal.example/v1/x?sig=${core}`],
  ["leak: openai key", "secret", (core) => `sk-${core}`],
  ["leak: google key", "secret", (core) => `AIza${core}${core}`],
  ["leak: groq key", "secret", (core) => `gsk_${core}`],
  ["leak: xai key", "secret", (core) => `xai-${core}`],
  ["leak: bearer", "secret", (core) => `Bearer ${core}`],
  ["leak: project", "secret", (core) => `proj_${core}`],
  ["leak: arn", "secret", (core) => `arn:aws:bedrock:us-east-1:123456789012:model/${core}`],
  ["leak: key in a query", "secret", (core) => `GET /v1beta/x?key=${core}`],
  ["leak: api-key header", "secret", (core) => `api-key: ${core}`],
  ["caller's own key", "secret", (core) => core],
  ["wrong key", "secret", (core) => `sk-plaza-${core}`],
  ["header: cookie", "secret", (core) => `c=${core}`],
  ["header: x-secret", "secret", (core) => core],
  ["header: openai-organization", "secret", (core) => `org-${core}`],
  ["header: user-agent", "secret", (core) => `agent/${core}`],
  ["query", "caller", (core) => core],
  ["prompt", "caller", (core) => core],
  ["system prompt", "caller", (core) => core],
  ["content part", "caller", (core) => core],
  ["image address", "caller", (core) => `https://images.example/${core}.png`],
  ["file data", "caller", (core) => Buffer.from(core).toString("base64")],
  ["tool description", "caller", (core) => core],
  ["tool arguments", "caller", (core) => JSON.stringify({ q: core })],
  ["tool result", "caller", (core) => core],
  ["message name", "caller", (core) => core],
  ["user", "caller", (core) => core],
  ["metadata", "caller", (core) => core],
  ["stop", "caller", (core) => core],
  ["unknown field", "caller", (core) => core],
  ["broken body", "caller", (core) => core],
  ["answer", "caller", (core) => core],
];

const letters = [..."ABCDEFGHJKLMNPQRSTUVWXYZ23456789"];
const wordLetters = [..."abcdefghijklmnopqrstuvwxyz"];

/** The parts of a request that the upstream quotes. */
const quoted = ["prompt", "system prompt", "tool result", "user"];

/**
 * One for each format. Cores of secrets are 20 characters of upper-case base32, which fits every format;
 * cores of callers' texts are 15 letters, so that a search for secrets does not remove them.
 */
export function plantCanaries(random: Random): Canaries {
  const all = shapes.map(([name, kind, shape]): Canary => {
    const [start, length, from] = kind === "secret" ? ["CNRY", 16, letters] : ["Cnry", 11, wordLetters];
    const core = start + Array.from({ length }, () => random.pick(from)).join("");
    return { name, kind, core, text: shape(core) };
  });
  const secrets = all.filter(({ name }) => name.startsWith("leak: "));
  const headers = all
    .filter((canary) => canary.name.startsWith("upstream header: "))
    .map((canary): [string, string] => [canary.name.slice(17), canary.text]);
  return {
    all,
    headers: Object.fromEntries(headers),
    text(name) {
      const canary = all.find((one) => one.name === name);
      if (canary === undefined) throw new RangeError(`no canary "${name}"`);
      return canary.text;
    },
    leaks: [...secrets, ...all.filter(({ name }) => quoted.includes(name))].map(({ text }) => text),
    wordsFrom: secrets.length,
  };
}

/**
 * The encodings a text may appear in: raw (also percent-encoded), lower case, base64 at three offsets, hex.
 */
function spellings(core: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const skipped = shift === 0 ? 0 : shift + 1;
    const text = Buffer.from("x".repeat(shift) + core)
      .toString("base64")
      .replace(/=+$/, "");
    return text.slice(skipped + (shift === 0 ? 0 : 1), -2);
  });
  return [core, core.toLowerCase(), ...encoded, Buffer.from(core).toString("hex")];
}

/** Canaries found in some bytes. */
export function findCanaries(canaries: readonly Canary[], bytes: Buffer): Canary[] {
  const text = bytes.toString("latin1");
  return canaries.filter((canary) => spellings(canary.core).some((spelling) => text.includes(spelling)));
}
