/**
 * P15's table on other routes: what differs where the caller asks in another format, or the upstream answers
 * in one, since a fault is then other bytes. Written from docs/call and docs/wire, without the product's
 * code.
 */
import { type EndpointName, endpointNames, type Route } from "../harness/endpoints.ts";
import { callersOwn } from "./p15-more-table.ts";
import {
  brokenTwice,
  type Cells,
  cut,
  cutAfterUsage,
  type Expected,
  fellBack,
  four,
  harmless,
  heavy,
  isNoAnswer,
  noAnswer,
  sound,
  type TableCell,
  throttled,
  uncounted,
} from "./p15-table.ts";

/** A cell of the table on one route. */
export interface Cell extends TableCell {
  readonly route: Route;
}

type Rows = Readonly<Record<string, Cells>>;

/** All routes, each endpoint with upstreams of each format. */
export const routes: readonly Route[] = endpointNames.flatMap((endpoint) =>
  endpointNames.map((spoken) => ({ endpoint, spoken })),
);

/** Errors of these formats have no codes of their own: the status tells, and the text is a careless one. */
const withoutCodes: Rows = {
  status_400: callersOwn("invalid_request"),
  status_400_context: callersOwn("invalid_request"),
  status_400_filter: callersOwn("invalid_request"),
  status_429_quota: four(throttled(1, 1), fellBack),
};

/** One event says why the answer is over, what was used, and that it is complete. */
const endsAtOnce: Rows = {
  done_never: [cut, cut, sound, sound],
  done_without_finish: harmless,
  closed_after_finish: harmless,
};

/** What differs where the upstream speaks this format. */
const bySpoken: Readonly<Record<EndpointName, Rows>> = {
  chat: {},
  responses: endsAtOnce,
  messages: {
    ...withoutCodes,
    // Anthropic's conflict is about calls at the same time.
    status_409: four(throttled(1, 1), fellBack),
    // The first event reports the prompt's tokens: no event after it is read.
    usage_nan: isNoAnswer,
    // The event with the reason reports usage.
    done_without_finish: [cut, cut, sound, sound],
    closed_after_finish: [cutAfterUsage, cutAfterUsage, sound, sound],
  },
  gemini: {
    ...withoutCodes,
    ...endsAtOnce,
    // All events report usage, and the first has content.
    usage_nan: isNoAnswer,
    // The end of the body is the end of the stream: one that is shorter than announced was cut.
    wrong_content_length: [cut, cut, brokenTwice, fellBack],
    endless_event: [heavy(cut), heavy(cut), heavy(noAnswer), heavy(fellBack)],
  },
};

/**
 * What differs where a chat upstream's answer is translated: some servers leave out what follows the finish
 * reason, so it is complete without.
 */
const translatedChat: Rows = {
  done_never: harmless,
  closed_after_finish: [uncounted, uncounted, sound, sound],
};

/**
 * Gemini reports tokens with every event, Messages the prompt's with the first. What was said before the
 * answer broke off is charged. Gemini's last event says all of them; a translated one is an estimate without
 * an end.
 */
function withTold(expected: Expected, fault: string, { endpoint, spoken }: Route): Expected {
  const isTold = spoken === "gemini" || spoken === "messages";
  if (!isTold || expected.charge !== "estimated" || expected.state !== "incomplete") return expected;
  const isAllTold = spoken === "gemini" && endpoint === "gemini" && fault === "wrong_content_length";
  return { ...expected, charge: isAllTold ? "exact" : "told" };
}

/** The cell where its call is made on this route. */
export function onRoute(cell: TableCell, route: Route): Cell {
  const { fault, isStream, hasFallback } = cell;
  const rows = route.spoken === "chat" && route.endpoint !== "chat" ? translatedChat : bySpoken[route.spoken];
  const expected = rows[fault]?.[(isStream ? 0 : 2) + (hasFallback ? 1 : 0)] ?? cell.expected;
  return { ...cell, route, expected: withTold(expected, fault, route) };
}
