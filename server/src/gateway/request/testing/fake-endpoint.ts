/**
 * For tests: an endpoint with an invented format, so that the code around it cannot depend on fields of a
 * real one.
 */
import assert from "node:assert/strict";
import type { Usage } from "@plaza/contract/usage.ts";
import { noDelivery } from "../../../domain/money/estimate.ts";
import { findField } from "../../../lib/json/scan.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import type { CallerFormat } from "../../../protocols/format.ts";
import type { StreamEvent, StreamReader, WireProtocol } from "../../../protocols/wire-protocol.ts";
import { type Endpoint, prepareEndpoint, type RequestFields } from "../../endpoints/endpoint.ts";

/** What an event of these words is; any other word is content. */
const kinds: Readonly<Record<string, StreamEvent["kind"]>> = {
  END: "end",
  HALT: "unsound",
  OOPS: "error",
  ALL: "end",
};

/**
 * Events `data: word`. `ROLE` is a part without content, `USED in out` a report of usage, `OOPS …` an error,
 * `HALT` an end too early, `LAST` says that the answer is over, `END` the end, `ALL in out` an end that is
 * the whole answer. A word that begins with `+` needs no look.
 */
function readStream(): StreamReader {
  let words = 0;
  return {
    get delivered() {
      return { ...noDelivery, events: words, contentBytes: words };
    },
    isPlain: (flags, firstByte) => flags === 0 && firstByte === 0x2b,
    countPlain: () => {
      words += 1;
    },
    read(text): StreamEvent {
      const [word = "", one, two] = text.split(" ");
      const isUsageOnly = word === "USED";
      const hasUsage = isUsageOnly || (one !== undefined && two !== undefined);
      return {
        kind: kinds[word] ?? "part",
        usage: hasUsage ? { in: Number(one), out: Number(two) } : undefined,
        hasContent: word !== "ROLE" && word !== "END" && !isUsageOnly,
        isUsageOnly,
        isClosing: word === "LAST",
        parsed: text,
      };
    },
    count: () => {
      words += 1;
    },
  };
}

function unread(): never {
  assert.fail("its bytes are passed on");
}

/** Upstreams of the provider `openai` pass it on. */
const format: CallerFormat = { id: "openai-chat", decode: unread, translation: unread };

/** Whole answers: `{"said":"…","used":{"in":1,"out":2}}`. */
const protocol: WireProtocol = {
  format,
  streamMarks: ["used"],
  idPrefix: "echo-",
  readStream,
  readWhole(body) {
    const { used, said } = recordOf(parseJson(body.toString())) ?? {};
    return said === undefined ? undefined : { usage: used, content: { start: 0, end: body.length } };
  },
  contentSize: (_body, { start, end }) => ({ contentBytes: end - start, images: 0 }),
  readUsage(report): Usage | undefined {
    const used = report as { in: number; out: number } | undefined;
    if (used === undefined || !(used.in >= 0 && used.out >= 0)) return undefined;
    return { input: used.in, cachedInput: 0, cacheWrite: 0, output: used.out, reasoning: 0 };
  },
  withoutUsage: (events) => events,
  addressesOf: () => [],
};

const names = { path: "/v1/echo", operation: "chat" } as const;

const echo: Endpoint = {
  ...names,
  protocol,
  scanned: { names: ["which", "others", "live"], counted: [] },
  promptField: "ask",
  sessionFields: [],
  droppable: new Set(),
  read(scan, body): RequestFields {
    const said = JSON.parse(body.toString()) as { which: string; others?: string[] };
    return {
      model: said.which,
      otherModels: said.others,
      isStream: findField(scan, "live")?.kind === "true",
      showsUsage: false,
      spans: {},
      apart: [],
    };
  },
  worstCase: () => ({
    inputTokens: 100,
    sentTokens: 100,
    outputTokens: 1_000,
    furtherTokens: 0,
    answers: 1,
    isAsked: true,
    outputLimit: undefined,
    hasAudio: false,
    hasImages: false,
  }),
  promptTokens: () => 7,
};

export const readyEcho = prepareEndpoint(echo, {
  jsonDepthMax: 8,
  jsonValuesMax: 100,
  eventBytesMax: 10_000,
});
