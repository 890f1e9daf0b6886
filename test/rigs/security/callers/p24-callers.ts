/**
 * P24 over the data plane: every path that callers reach with an API key, in every spelling, as nobody and
 * with keys of every kind, beside a table written by hand. Then what one account stored, or an upstream keeps
 * for all, is named by others: they must get what they would get for an id that does not exist, byte for
 * byte and after the same lookups, and nothing is charged or sent to an upstream.
 */
import { endpoints } from "../../../../server/src/gateway/endpoints/index.ts";
import { otherPrefixes } from "../../../../server/src/gateway/endpoints/path-families.ts";
import { callerRoutes, type ReadContext } from "../../../../server/src/http/routes/read-routes.ts";
import type { Answer } from "../../../behaviour/harness/caller.ts";
import { readError } from "../../../behaviour/harness/error-shapes.ts";
import { countFigure, type Figure, zeroFigure } from "../../harness/figure.ts";
import { type Random, seededRandom } from "../../harness/random.ts";
import {
  type CallerAsk,
  type CallerStage,
  type Owned,
  setCallerStage,
  unownedLike,
} from "./p24-caller-stage.ts";
import {
  type CallerName,
  type CallerRow,
  type CallerVerdict,
  callerRows,
  callers,
  spelled,
  verdicts,
} from "./p24-caller-table.ts";
import { type Thing, things } from "./p24-caller-things.ts";

/** All paths of the product that want a key, by method. */
const routes: readonly string[] = [
  ...endpoints.map(({ path }) => `POST ${path}`),
  ...callerRoutes({} as ReadContext).map(({ method, path }) => `${method} ${path}`),
];

/** Paths without a row and rows without a path; ids and stored state that nothing here asks for. */
function gaps(): string[] {
  const asked = new Set(things.map(({ route }) => route));
  const stateful = endpoints.filter(({ state }) => state !== undefined).map(({ path }) => `POST ${path}`);
  const byId = Object.entries(callerRows).filter(([, { rule }]) => rule === "request" || rule === "response");
  return [
    ...routes.filter((name) => callerRows[name] === undefined).map((name) => `${name}: no row`),
    ...Object.keys(callerRows)
      .filter((name) => !routes.includes(name))
      .map((name) => `${name}: no such path`),
    ...[...stateful, ...byId.map(([name]) => name)]
      .filter((name) => !asked.has(name))
      .map((name) => `${name}: nothing of another's to ask for`),
    ...(JSON.stringify(otherPrefixes) === JSON.stringify(spelled) ? [] : ["other spellings of paths"]),
  ];
}

/** A path in all of its spellings. */
const spellings = (path: string): string[] => [
  path,
  ...spelled
    .filter(
      ([, meant]) => path.startsWith(meant) && /^(?:$|\/)/.test(path.slice(meant.replace(/\/$/, "").length)),
    )
    .map(([other, meant]) => other + path.slice(meant.length)),
];

interface Cell {
  readonly name: string;
  readonly row: CallerRow;
  readonly method: CallerAsk["method"];
  readonly path: string;
}

const cells: readonly Cell[] = Object.entries(callerRows).flatMap(([name, row]) => {
  const [method = "GET", path = ""] = name.split(" ") as [CallerAsk["method"], string];
  return spellings(path).map((one) => ({ name: `${method} ${one}`, row, method, path: one }));
});

/** The request of a cell. `of`: what the owner has. */
function askOf({ row, method, path }: Cell, of: Owned): CallerAsk {
  const { rule, model = "open", body } = row;
  const tail = rule === "request" ? of.request : rule === "response" ? of.response : model;
  const isStream = path.includes(":stream");
  return { method, path: path.replace("*", tail) + (isStream ? "?alt=sse" : ""), body: body?.(model) };
}

const told = (where: string, { status, text }: Answer): string => `${where}: ${status} ${text.slice(0, 160)}`;

/** Is it the refusal that the table says, in the shape of its path? */
function isRefusal(
  { status, text }: Answer,
  verdict: CallerVerdict | string,
  { format }: Pick<CallerRow, "format">,
) {
  try {
    return `${status} ${readError(text, format).code}` === verdict;
  } catch {
    return false;
  }
}

interface Seen {
  readonly where: string;
  readonly text: string;
}

interface Found {
  readonly misses: string[];
  /** Answers to callers that must not know of A. */
  readonly seen: Seen[];
}

const isOutside = (caller: CallerName): boolean => caller !== "owner" && caller !== "spare";

/** What is wrong with an answer to a caller that the table lets in. */
async function wrongWith(
  stage: CallerStage,
  { row: { rule, isFree } }: Cell,
  caller: CallerName,
  { status, text }: Answer,
  was: { readonly calls: number; readonly balance: bigint; readonly account: string },
): Promise<string | undefined> {
  if (status !== 200) return "not let in";
  const calls = (await stage.standing()).upstreamCalls - was.calls;
  const charged = was.balance - (await stage.balanceOf(was.account));
  if (rule !== "call") {
    if (calls !== 0 || charged !== 0n) return "reading it was charged or sent to an upstream";
    const shows = /\b(?:open|claude|google|falling)\b/.test(text);
    return rule === "list" && shows === (caller === "narrow") ? "shows what the key may not use" : undefined;
  }
  if (calls !== 1) return `${calls} calls to the upstream`;
  return charged > 0n === (isFree !== true) ? undefined : `${charged} charged`;
}

async function askCell(stage: CallerStage, cell: Cell, mine: Owned, found: Found): Promise<void> {
  for (const caller of callers) {
    const verdict = verdicts[cell.row.rule][caller];
    const where = `${cell.name} by ${caller}`;
    // What is deleted is gone for the next.
    const of = cell.method === "DELETE" && verdict === "in" ? await stage.own() : mine;
    const before = await stage.standing();
    const account = (caller === "stranger" ? stage.stranger : stage.accountA).accountId;
    const balance = await stage.balanceOf(account);
    const answer = await stage.send(askOf(cell, of), stage.keys[caller]);
    if (isOutside(caller)) found.seen.push({ where, text: JSON.stringify(answer.headers) + answer.text });
    if (verdict === "in") {
      const was = { calls: before.upstreamCalls, balance, account };
      const wrong = await wrongWith(stage, cell, caller, answer, was);
      if (wrong !== undefined) found.misses.push(told(`${where}: ${wrong}`, answer));
      continue;
    }
    const after = await stage.standing();
    if (!isRefusal(answer, verdict, cell.row)) found.misses.push(told(where, answer));
    else if (after.upstreamCalls !== before.upstreamCalls || after.stored !== before.stored)
      found.misses.push(`${where}: refused, and something was charged, stored or sent`);
  }
}

/** An answer without what differs between any two: ids of the request, its moment, ids asked for. */
function comparable({ status, headers, text }: Answer, of: Owned): string {
  const { date: _, ...rest } = headers;
  const id = String(headers["x-request-id"]);
  const said = JSON.stringify([status, Object.entries(rest), text]).replaceAll(id, "REQUEST");
  return Object.values(of).reduce((all, one) => all.replaceAll(String(one), "THING"), said);
}

/** Remaining units differ from call to call. */
const withoutLimits = (answer: Answer): Answer => ({
  ...answer,
  headers: Object.fromEntries(
    Object.entries(answer.headers).filter(([name]) => !/^x-ratelimit|^anthropic-ratelimit/.test(name)),
  ),
});

const mayHave = ({ whose }: Thing, caller: CallerName): boolean =>
  caller === "owner" ? whose !== "none" : caller === "spare" && whose === "account";

/** One thing of A named by a caller, beside one that does not exist. */
async function askThing(
  stage: CallerStage,
  thing: Thing,
  caller: CallerName,
  mine: Owned,
  found: Found,
): Promise<void> {
  const where = `${thing.name} by ${caller}`;
  const key = stage.keys[caller];
  const model = caller === "narrow" ? "other" : "open";
  if (mayHave(thing, caller)) {
    const answer = await stage.send(thing.ask(await stage.own(), model), key);
    if (answer.status !== 200) found.misses.push(told(where, answer));
    return;
  }
  const ask = async (of: Owned) => await stage.lookupsOf(() => stage.send(thing.ask(of, model), key));
  const none = unownedLike(mine);
  const before = await stage.standing();
  const [others, nones] = [await ask(mine), await ask(none)];
  const after = await stage.standing();
  // An answer may repeat the id it was asked for, and nothing else of the thing.
  const isNamed = JSON.stringify(thing.ask(mine, model));
  const seen = Object.values(mine).reduce(
    (text: string, one: string) => (isNamed.includes(one) ? text.replaceAll(one, "") : text),
    others.value.text,
  );
  if (isOutside(caller)) found.seen.push({ where, text: seen });
  const row = callerRows[thing.route];
  if (row === undefined || !isRefusal(others.value, thing.refusal, row))
    found.misses.push(told(where, others.value));
  else if (comparable(withoutLimits(others.value), mine) !== comparable(withoutLimits(nones.value), none))
    found.misses.push(`${told(where, others.value)}, and for none such ${nones.value.text.slice(0, 160)}`);
  else if (others.lookups.join() !== nones.lookups.join())
    found.misses.push(`${where}: looked up ${others.lookups}, and for none such ${nones.lookups}`);
  else if (after.upstreamCalls !== before.upstreamCalls || after.stored !== before.stored)
    found.misses.push(`${where}: refused, and something was charged, stored or sent`);
}

const thingCallers = ["narrow", "stranger", "spare", "owner"] as const satisfies CallerName[];

interface Repeat {
  readonly what: string;
  readonly key: string;
  readonly ask: CallerAsk;
  /** `own`: a call of its own, as if the Idempotency-Key were new. `replay`: the first answer. */
  readonly wanted: "own" | "replay" | CallerVerdict;
}

/** A call with an Idempotency-Key by the owner, then the same key by others. */
async function askRepeated(stage: CallerStage, cell: Cell, mine: Owned, number: number): Promise<string[]> {
  const { keys, half } = stage;
  const marked = (ask: CallerAsk, key: string): CallerAsk => ({
    ...ask,
    headers: { "idempotency-key": key },
  });
  const ask = marked(askOf(cell, mine), `repeat-${number}`);
  const first = await stage.send(ask, keys.owner);
  if (first.status !== 200) return [told(`${cell.name}, the first call`, first)];
  const changed = { ...ask, body: { ...ask.body, user: "another" } };
  const isChat =
    cell.row.body === callerRows["POST /v1/chat/completions"]?.body && cell.row.model === undefined;
  const falling = marked(
    { ...ask, path: "/v1/chat/completions", body: cell.row.body?.("falling") },
    `fall-${number}`,
  );
  const isFalling = isChat && cell.path === "/v1/chat/completions";
  if (isFalling) await stage.send(falling, keys.owner);
  const repeats: Repeat[] = [
    { what: "the same by another account", key: keys.stranger, ask, wanted: "own" },
    { what: "by a key that may not use the model", key: keys.narrow, ask, wanted: "403 model_not_allowed" },
    { what: "by another key of the account", key: keys.spare, ask, wanted: "replay" },
    ...(["unknown", "revoked", "disabled", "expired", "elsewhere"] as const).map((name) => ({
      what: `by a key that is ${name}`,
      key: keys[name],
      ask,
      wanted: verdicts.call[name],
    })),
    ...(isChat
      ? [
          {
            what: "another body by another key",
            key: keys.spare,
            ask: changed,
            wanted: "422 idempotency_key_reused" as const,
          },
        ]
      : []),
    ...(isFalling
      ? [
          {
            what: "answered by a model it may not use",
            key: half,
            ask: falling,
            wanted: "403 model_not_allowed" as const,
          },
          { what: "answered by a fallback", key: keys.spare, ask: falling, wanted: "replay" as const },
        ]
      : []),
  ];
  const misses: string[] = [];
  for (const repeat of repeats) {
    const before = await stage.standing();
    const answer = await stage.send(repeat.ask, repeat.key);
    const after = await stage.standing();
    const isReplay = answer.headers["idempotent-replayed"] === "true";
    const isSent = after.upstreamCalls !== before.upstreamCalls;
    const isChanged = isSent || after.stored !== before.stored;
    const isRight =
      repeat.wanted === "own"
        ? answer.status === 200 && !isReplay && isSent
        : repeat.wanted === "replay"
          ? answer.status === 200 && isReplay && !isChanged
          : isRefusal(answer, repeat.wanted, cell.row) && !isChanged;
    if (!isRight) misses.push(told(`${cell.name}, a key repeated: ${repeat.what}`, answer));
  }
  return misses;
}

/** What only A's own callers may read. */
const privateTexts = (stage: CallerStage, mine: Owned): string[] => [
  mine.words,
  mine.item,
  mine.container,
  mine.run,
  stage.accountA.accountId,
  stage.accountA.keyId,
  stage.keys.owner,
  stage.keys.spare,
];

async function play(stage: CallerStage, random: Random): Promise<Figure[]> {
  const mine = await stage.own();
  const found: Found = { misses: [], seen: [] };
  for (const cell of random.shuffle(cells)) await askCell(stage, cell, mine, found);
  const named: Found = { misses: [], seen: found.seen };
  for (const thing of random.shuffle(things))
    for (const caller of thingCallers) await askThing(stage, thing, caller, mine, named);
  const calls = cells.filter(({ row }) => row.rule === "call");
  const repeated: string[] = [];
  for (const [number, cell] of calls.entries())
    repeated.push(...(await askRepeated(stage, cell, mine, number)));
  const secrets = privateTexts(stage, mine);
  const leaks = found.seen.flatMap(({ where, text }) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${where}: ${secret}`),
  );
  return [
    countFigure("P24", "paths of callers with a row", routes.length, gaps()),
    countFigure("P24", "cells of callers' paths and keys", cells.length * callers.length, found.misses),
    countFigure(
      "P24",
      "what is stored or lies at upstreams, named by keys",
      things.length * thingCallers.length,
      named.misses,
    ),
    countFigure("P24", "paths whose Idempotency-Keys others repeat", calls.length, repeated),
    zeroFigure("P24", "what is one account's in answers of the data plane", found.seen.length, leaks),
  ];
}

/** The part of P24 about the paths that callers reach with API keys. */
export async function searchCallers(seed: number): Promise<Figure[]> {
  const random = seededRandom(seed).fork("callers");
  const stage = await setCallerStage(random);
  try {
    return await play(stage, random);
  } finally {
    await stage.stop();
  }
}
