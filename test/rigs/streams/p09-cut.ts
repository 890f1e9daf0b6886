/**
 * P09: a cut answer is never presented as complete, at any endpoint, from upstreams of any format. Streams
 * are cut at events and inside them in every way a connection can end, bodies at any byte; the caller must
 * get its format's error, no mark of an end, and no invented content, and pays for what was delivered.
 */
import { spokenName } from "../harness/catalog.ts";
import { bodyFor, pathOf } from "../harness/endpoints.ts";
import { countFigure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { findRow } from "../harness/money/request-row.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { withPlaza } from "../harness/processes/with-plaza.ts";
import { readWithSdk } from "../harness/sdk.ts";
import { type CutCase, cutCases, wholeEvents } from "./p09-cases.ts";
import { judgeCut, judgeRow, mayBeComplete } from "./p09-judge.ts";

function ask(plaza: Plaza, one: CutCase): Promise<Seen> {
  const { id, route, isStream, bytes, how } = one;
  const plan = { ...one.plan, id, cutByte: bytes, how };
  const model = spokenName("rig-model", route.spoken);
  const call = { model, isStream, maxTokens: 100, plan, text: "hello" };
  const body = JSON.parse(bodyFor(route.endpoint, call)) as Record<string, unknown>;
  if (!one.isUsageAsked) delete body["stream_options"];
  const url = plaza.origin + pathOf(route.endpoint, call);
  return post({ url, key: plaza.key, body: JSON.stringify(body), withinMs: 20_000 });
}

function describe(one: CutCase, why: string): string {
  const { endpoint, spoken } = one.route;
  const what = one.isStream ? JSON.stringify(one.plan) : "a body";
  const place = `${one.bytes} bytes (${wholeEvents(one)[0]} of ${one.steps.length} events)`;
  return `${endpoint} of ${spoken}, ${what} after ${place}, ${one.how}: ${why}`;
}

export const run: Rig = ({ size, seed }) =>
  withPlaza({}, async (plaza, upstream) => {
    const cases = cutCases(size, seed);
    const misses: string[] = [];
    const rowMisses: string[] = [];
    const sdkMisses: string[] = [];
    const unheard: string[] = [];
    let readBySdk = 0;
    let exempt = 0;
    await inParallel(cases, 8, async (make) => {
      const one = make();
      const seen = await ask(plaza, one);
      const note = (list: string[], why: string | undefined): void => {
        if (why !== undefined) list.push(describe(one, why));
      };
      note(misses, judgeCut(one, seen));
      note(rowMisses, judgeRow(one, seen, await findRow(plaza.origin, plaza.key, seen)));
      if (upstream.findCall(one.id) === undefined) note(unheard, "not called");
      if (mayBeComplete(one)) exempt += 1;
      if (one.plan.replay === undefined || !one.isStream) return;
      readBySdk += 1;
      const view = await readWithSdk(seen.status, seen.headers["content-type"] ?? "", seen.body);
      if (view.error === undefined) note(sdkMisses, "the SDK saw a normal end");
    });
    return [
      countFigure(
        "P09",
        `cut answers end with their format's error, nothing invented (${exempt} may be complete)`,
        cases.length,
        misses,
      ),
      countFigure("P09", "their rows say what was used, and how that is known", cases.length, rowMisses),
      zeroFigure("P09", "calls that never reached the upstream", cases.length, unheard),
      countFigure("P09", "the official SDK throws on a cut stream of chat", readBySdk, sdkMisses),
    ];
  });
