/**
 * How a provider serves the callers of an endpoint: which of its codecs, in which of the formats it speaks,
 * and through which translation its answers go. Found once for each and kept.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { CallerFormat } from "../../../protocols/format.ts";
import type { AnswerTranslation } from "../../../protocols/protocol.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";
import {
  codecOf,
  counterFor,
  type FormatCall,
  isPassed,
  scriptOf,
  spokenFor,
} from "../../../providers/codec-of.ts";
import type {
  BatchCodec,
  HttpCodec,
  HttpProvider,
  LocalProvider,
  Provider,
  ScriptWriter,
  SpokenFormat,
} from "../../../providers/provider.ts";

/** How a provider serves an operation; one of the first three is there unless it does not. */
export interface Way {
  readonly script: ScriptWriter | undefined;
  readonly single: HttpCodec | undefined;
  readonly batch: BatchCodec | undefined;
  /** What its answers go through; undefined: they are in the caller's format. */
  readonly translation: AnswerTranslation | undefined;
  /** Reads the errors of the upstream. */
  readonly faults: Pick<Provider, "fault">;
  /** True when a call needs only the caller's bytes from the gateway. */
  readonly isPlain: boolean;
}

const none = {
  script: undefined,
  single: undefined,
  batch: undefined,
  translation: undefined,
  isPlain: true,
};

/** What an endpoint says of itself. */
interface Asked {
  readonly operation: Operation;
  readonly protocol: Pick<WireProtocol, "format" | "writeCount">;
}

/** What was made for callers of one format. */
interface KnownWays {
  readonly passing: Map<SpokenFormat, Way>;
  readonly translating: Map<SpokenFormat, Way>;
  /** Of a provider without a network. */
  local: Way | undefined;
}

/** Ways are made once for each provider, as it speaks with one upstream, and format of callers. */
const known = new WeakMap<Provider, Map<CallerFormat, KnownWays>>();

function waysOf(provider: Provider, caller: CallerFormat): KnownWays {
  let byCaller = known.get(provider);
  if (byCaller === undefined) {
    byCaller = new Map();
    known.set(provider, byCaller);
  }
  let ways = byCaller.get(caller);
  if (ways === undefined) {
    ways = { passing: new Map(), translating: new Map(), local: undefined };
    byCaller.set(caller, ways);
  }
  return ways;
}

/** How the provider serves this call of an endpoint. */
export function wayOf(provider: Provider, { operation, protocol }: Asked, call: FormatCall): Way {
  const { format, writeCount } = protocol;
  if (format === undefined) return operationWayOf(provider, operation);
  if (provider.transport !== "local") return upstreamWayOf(provider, format, writeCount, call);
  if (writeCount !== undefined) return localCountWayOf(provider, format, writeCount);
  const ways = waysOf(provider, format);
  ways.local ??= localWayOf(provider, format, operation);
  return ways.local;
}

/** How an upstream serves this call, which tells a conversation. `writeCount`: as of `WireProtocol`. */
export function upstreamWayOf(
  provider: HttpProvider,
  format: CallerFormat,
  writeCount: WireProtocol["writeCount"],
  call: FormatCall,
): Way {
  if (writeCount !== undefined) return countWayOf(provider, format, writeCount, call);
  const ways = waysOf(provider, format);
  const spoken = spokenFor(provider, format, call);
  if (spoken === undefined) return { ...none, faults: provider };
  const isPassing = isPassed(format, spoken, call.body);
  const made = isPassing ? ways.passing : ways.translating;
  let way = made.get(spoken);
  if (way === undefined) {
    const codec = isPassing ? spoken.passing : undefined;
    way = singleWayOf(provider, codec ?? codecOf(format, spoken), faultsOf(provider, spoken));
    made.set(spoken, way);
  }
  return way;
}

/** What asks no conversation is served by operation. */
function operationWayOf(provider: Provider, operation: Operation): Way {
  if (provider.transport === "local")
    return { ...none, faults: provider, script: provider.scripts[operation] };
  const codec = provider.codecs?.[operation];
  if (codec === undefined) return { ...none, faults: provider };
  return "encodeBatch" in codec
    ? { ...none, faults: provider, batch: codec, isPlain: false }
    : singleWayOf(provider, codec, provider);
}

/** Statuses of an upstream that speaks the format and has no path to count. */
const uncounted: ReadonlySet<number> = new Set([404, 405, 501]);

/** How the provider counts the tokens of this call. Not kept: few calls do. */
function countWayOf(
  provider: HttpProvider,
  caller: CallerFormat,
  writeCount: (tokens: number) => Buffer,
  { deployment, body }: FormatCall,
): Way {
  const spoken = counterFor(provider, caller, deployment);
  const counter = spoken?.counter;
  if (spoken === undefined || counter === undefined) return { ...none, faults: provider };
  const isPassing = spoken.format === caller.id && (spoken.mayPass?.(body) ?? true);
  const encode = isPassing ? counter.passing : undefined;
  const translation = countTranslation((answer) => counter.read(answer), writeCount);
  const translated: HttpCodec = {
    inlinesMedia: spoken.inlinesMedia,
    translation,
    encode: (request, upstream, credential, model) =>
      counter.encode(caller.decode(request), request, upstream, credential, model),
  };
  // That it does not count says nothing of how well it answers.
  const faults: Way["faults"] = {
    fault: (status, headers, text) =>
      uncounted.has(status)
        ? { kind: "unsupported", status, note: "it counts no tokens" }
        : faultsOf(provider, spoken).fault(status, headers, text),
  };
  return singleWayOf(provider, encode === undefined ? translated : { isPicky: true, encode }, faults);
}

/** `read`: the count in an upstream's answer; undefined when it has none. */
function countTranslation(
  read: (answer: Buffer) => number | undefined,
  writeCount: (tokens: number) => Buffer,
): AnswerTranslation {
  return {
    streamType: "",
    stream() {
      throw new Error("a count is no stream");
    },
    whole(answer) {
      const tokens = read(answer);
      return tokens === undefined ? undefined : writeCount(tokens);
    },
  };
}

/** Of a provider without a network, whose answer to a count is its digits. */
function localCountWayOf(
  provider: LocalProvider,
  caller: CallerFormat,
  writeCount: (tokens: number) => Buffer,
): Way {
  const { counter } = provider;
  if (counter === undefined) return { ...none, faults: provider };
  const script: ScriptWriter = (request, model) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    steps: [
      { afterMs: 0, bytes: Buffer.from(String(counter.count(caller.decode(request), request, model))) },
    ],
    ending: "end",
  });
  const translation = countTranslation((answer) => Number(answer.toString("latin1")), writeCount);
  return { ...none, faults: provider, script, translation, isPlain: false };
}

const faultsOf = (provider: HttpProvider, { fault }: SpokenFormat): Way["faults"] =>
  fault === undefined ? provider : { fault };

function singleWayOf({ tokens, sign }: HttpProvider, codec: HttpCodec, faults: Way["faults"]): Way {
  const { translation } = codec;
  const isAlike = translation === undefined && codec.isPicky !== true;
  const isPlain = isAlike && tokens === undefined && sign === undefined;
  return { ...none, faults, single: codec, translation, isPlain };
}

function localWayOf(provider: LocalProvider, caller: CallerFormat, operation: Operation): Way {
  const { scripts, translated } = provider;
  const script = translated === undefined ? undefined : scriptOf(caller, translated);
  const plain = { ...none, faults: provider };
  if (translated === undefined || script === undefined) return { ...plain, script: scripts[operation] };
  return { ...plain, script, translation: caller.translation(translated.decoder), isPlain: false };
}
