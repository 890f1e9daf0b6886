/**
 * P33: no body on any path stalls other callers. Every route of the console's API, and unknown paths, get
 * hostile bodies without sign-in, with a session and with a token. Endless bodies must be aborted and cost no
 * memory.
 */
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { boundFigure, countFigure, type Figure, type Rig, showMegabytes, showMs } from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import { type Pinger, startPinger } from "../harness/measure/pinger.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { watchResident } from "../harness/processes/proc.ts";
import { warmUp } from "../harness/processes/warm.ts";
import { withPlazaApart } from "../harness/processes/with-plaza.ts";
import { seededRandom } from "../harness/random.ts";
import { errorCode, sendRaw } from "../harness/raw-client.ts";
import { goodBody } from "./p26-case.ts";
import { type Asked, type HostileBody, hostileBodies, stalledCalls, wholeCall } from "./p33-bodies.ts";

const stallMaxMs = 50;
/** A stall caused by Plaza recurs; one caused by the machine does not. */
const stallTries = 4;
const residentGrowthMax = 64 * 1024 * 1024;
const stalledCount = 200;
const goneWithinMs = 10_000;
const operatorToken = "rig-operator-token-0123456789";

/** Header lines of a user signed in as the operator. */
async function signedIn(plaza: Plaza): Promise<readonly string[]> {
  const made = await plaza.cli(["setup-link"]);
  const token = /\/link\/([\w-]+)/.exec(JSON.stringify(made))?.[1] ?? "";
  const response = await fetch(`${plaza.origin}/api/links/${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Rig", email: "rig@example.com", password: "a long password of a rig" }),
  });
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const cookie = response.headers.getSetCookie().map((one) => one.split(";")[0]);
  if (response.status !== 200) throw new Error(`the rig could not sign in: ${response.status}`);
  return [`Cookie: ${cookie.join("; ")}`, `x-plaza-csrf: ${csrfToken}`];
}

/** Every route and method, and unknown paths. */
function allPaths(): Pick<Asked, "method" | "path">[] {
  const routes = Object.values(apiRoutes as Record<string, RouteSpec>).map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: `/api${path.replace(/\{\w+\}/g, "nobody")}`,
  }));
  const odd = [
    "/api/session",
    "/api/nothing/at/all",
    "/api/upstreams",
    "/api/",
    "/api",
    "/nothing",
    "/metrics",
  ];
  const methods = ["POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"];
  return [...routes, ...odd.flatMap((path) => methods.map((method) => ({ method, path })))];
}

/** Sends one body; returns the longest stall (the minimum of several tries) and the first status. */
async function stallOf(plaza: Plaza, pinger: Pinger, asked: Asked, body: HostileBody) {
  let stallMs = Number.POSITIVE_INFINITY;
  let problem: string | undefined;
  for (let turn = 0; turn < stallTries && stallMs > stallMaxMs; turn++) {
    const from = monotonicMs();
    const seen = await sendRaw({ port: plaza.port, pieces: wholeCall(asked, body), answersMax: 1 });
    await pause(8);
    stallMs = Math.min(stallMs, await pinger.longestSince(from));
    const [answer] = seen.answers;
    if (turn > 0) continue;
    if (answer === undefined && !/EPIPE|ECONNRESET/.test(seen.problem)) problem = `no answer ${seen.problem}`;
    if (answer !== undefined && answer.status >= 500) problem = `status ${answer.status}`;
    if (
      answer !== undefined &&
      answer.status >= 400 &&
      asked.method !== "HEAD" &&
      errorCode(answer.body) === undefined
    )
      problem = `status ${answer.status} without the error shape`;
  }
  return { stallMs, problem };
}

/**
 * Sends unfinished bodies in parallel: counts connections still open after the deadline, and measures memory.
 */
async function stallBodies(plaza: Plaza, asked: readonly Asked[]): Promise<Figure[]> {
  const calls = asked.flatMap((one) => stalledCalls(one));
  const resident = watchResident(plaza.pid, 50);
  const seen = await Promise.all(
    Array.from({ length: stalledCount }, (_, index) =>
      sendRaw({ port: plaza.port, pieces: calls[index % calls.length] ?? [], withinMs: goneWithinMs }),
    ),
  );
  const { first, peak } = resident.stop();
  const left = seen.filter(({ closedAfterMs }) => Number.isNaN(closedAfterMs));
  return [
    countFigure(
      "P33",
      "stalled bodies are cut within 10 s",
      seen.length,
      left.map(({ answers }) => `still open, answered ${answers[0]?.status ?? "nothing"}`),
    ),
    {
      promise: "P33",
      name: `memory growth under ${stalledCount} stalled bodies`,
      reached: showMegabytes(peak - first),
      wanted: `≤ ${showMegabytes(residentGrowthMax)}`,
      ok: peak - first <= residentGrowthMax,
      kind: "correct",
    },
  ];
}

interface Sent {
  readonly asked: Asked;
  readonly body: HostileBody;
}

/** All of them in the long form; in the short form every route once and every body once. */
function choose(all: readonly Sent[], routes: number, size: "short" | "long", seed: number): readonly Sent[] {
  if (size === "long") return all;
  const random = seededRandom(seed);
  return Array.from({ length: routes }, () => random.pick(all));
}

export const run: Rig = ({ size, seed }) =>
  withPlazaApart({ env: { PLAZA_OPERATOR_TOKEN: operatorToken } }, async (plaza) => {
    await warmUp(plaza, size === "long" ? 40_000 : 3000);
    const session = await signedIn(plaza);
    const personas: readonly (readonly string[])[] = [
      [],
      session,
      [`Authorization: Bearer ${operatorToken}`],
    ];
    const paths = allPaths();
    const all = paths.flatMap((path) =>
      personas.flatMap((lines) => hostileBodies.map((body) => ({ asked: { ...path, lines }, body }))),
    );
    const worst: readonly Sent[] = ["/api/session", "/api/operator/connect", "/api/operator/models"].flatMap(
      (path) =>
        hostileBodies.map((body) => ({ asked: { method: "POST", path, lines: personas[2] ?? [] }, body })),
    );
    const sent = [...worst, ...choose(all, 60, size, seed)];
    const pinger = startPinger(plaza.port);
    const stalls: { name: string; ms: number }[] = [];
    const misses: string[] = [];
    for (const { asked, body } of sent) {
      const { stallMs, problem } = await stallOf(plaza, pinger, asked, body);
      const name = `${body.name} at ${asked.method} ${asked.path}`;
      stalls.push({ name, ms: stallMs });
      if (problem !== undefined) misses.push(`${name}: ${problem}`);
    }
    await pinger.stop();
    stalls.sort((left, right) => right.ms - left.ms);
    const slow = stalls.filter(({ ms }) => ms > stallMaxMs);
    const stall = boundFigure(
      "P33",
      "loop stall by any body at any path",
      stalls[0]?.ms ?? Number.NaN,
      stallMaxMs,
    );
    const stalledAt: readonly Asked[] = personas.flatMap((lines) => [
      { method: "POST", path: "/api/session", lines },
      { method: "POST", path: "/api/operator/connect", lines },
      { method: "PATCH", path: "/api/profile", lines },
      { method: "DELETE", path: "/api/session", lines: [] },
      { method: "POST", path: "/api/nothing", lines },
    ]);
    const after = await post({ url: plaza.chatUrl, key: plaza.key, body: goodBody });
    return [
      { ...stall, misses: slow.slice(0, 10).map(({ name, ms }) => `${name}: ${showMs(ms)}`) },
      countFigure(
        "P33",
        "hostile bodies are answered in the error shape, none with a 5xx",
        sent.length,
        misses,
      ),
      ...(await stallBodies(plaza, stalledAt)),
      countFigure(
        "P33",
        "Plaza serves afterwards",
        1,
        after.status === 200 ? [] : [`status ${after.status}`],
      ),
    ];
  });
