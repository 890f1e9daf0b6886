/**
 * P24: users can do, see and grant only what their role and account allow. Every route of the control plane
 * is called by a visitor, a member, an owner, another account's owner, the operator, and operator tokens with
 * all scopes but the required one and with that one only. A hand-written table gives the expected result of
 * each, and a refusal must leave the database unchanged. Then account B requests account A's items, changes
 * are sent without the CSRF token, and all responses to B are searched for A's data.
 */
import { apiRoutes, type RouteSpec, type TokenScope } from "@plaza/contract/api/index.ts";
import { tokenScopes } from "@plaza/contract/api/route.ts";
import type { Answer, Sender } from "../../behaviour/harness/console-rig.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { searchCallers } from "./callers/p24-callers.ts";
import { type Asked, type Sample, samples } from "./p24-samples.ts";
import { type Person, type Role, type Stage, setStage } from "./p24-stage.ts";
import { rights } from "./p24-table.ts";

export const askers = ["nobody", "member", "owner", "stranger", "operator", "other token", "token"] as const;
export type Asker = (typeof askers)[number];

/** `in`: the access rules allow it. */
export type Verdict = "in" | "not_signed_in" | "not_permitted";

const roles: ReadonlySet<string> = new Set(["member", "owner", "stranger", "operator"]);
const isRole = (asker: Asker): asker is Role => roles.has(asker);

/** The expected result of a caller at a route, from the table's row. The operator has no account here. */
export function verdictOf(right: string, asker: Asker): Verdict {
  const [whose = ""] = right.split(" ");
  if (whose === "anyone") return "in";
  if (asker === "nobody") return "not_signed_in";
  if (whose === "operator") return asker === "operator" || asker === "token" ? "in" : "not_permitted";
  if (!isRole(asker)) return "not_permitted";
  if (whose === "user") return "in";
  if (asker === "operator") return "not_permitted";
  return whose === "owner" && asker === "member" ? "not_permitted" : "in";
}

interface Case {
  readonly name: string;
  readonly spec: RouteSpec;
  readonly right: string;
  readonly sample: Sample;
}

const addressOf = (spec: RouteSpec, { parts = {}, query }: Asked): string =>
  spec.path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parts[part] ?? "")) +
  (query === undefined ? "" : `?${query}`);

const send = (
  sender: Sender,
  spec: RouteSpec,
  asked: Asked,
  headers?: Record<string, string>,
): Promise<Answer> => sender.call(spec.method.toUpperCase(), addressOf(spec, asked), asked.body, headers);

function passed({ status, body }: Answer, asked: Asked): boolean {
  const code = body?.error?.code;
  if (code === "not_signed_in" || code === "not_permitted" || code === "forgery_suspected") return false;
  return asked.status === undefined ? status < 400 : status === asked.status;
}

function wasRefused({ status, body }: Answer, verdict: Exclude<Verdict, "in">): boolean {
  return body?.error?.code === verdict && status === (verdict === "not_signed_in" ? 401 : 403);
}

/** A caller with access, for preparing the subject; a new user when the subject is the caller. */
const rightful = async (stage: Stage, { right }: Case): Promise<Person> => {
  if (right === "user") return await stage.newPerson("owner");
  return stage.person(right.startsWith("operator") ? "operator" : "owner");
};

/** A new caller for a change that may succeed, as it may end the caller's access. */
async function senderOf(
  stage: Stage,
  asker: Asker,
  { right, spec }: Case,
  verdict: Verdict,
): Promise<Sender> {
  if (asker === "nobody") return stage.rig.nobody;
  const isLasting = verdict === "in" && spec.method !== "get";
  if (isRole(asker)) return isLasting ? await stage.newPerson(asker) : stage.person(asker);
  const [, scope] = right.split(" ");
  const scopes: TokenScope[] = tokenScopes.filter((one) => (one === scope) === (asker === "token"));
  // A route that accepts no token must refuse one with all other scopes.
  return await stage.token(scopes.length > 0 ? scopes : tokenScopes);
}

interface Found {
  readonly misses: string[];
  /** Responses that a caller of account B received. */
  readonly seen: { readonly where: string; readonly text: string }[];
}

/** The subject of a request, and its owner. */
interface Prepared {
  readonly me: Person;
  readonly asked: Asked;
}

const told = (where: string, { status, body }: Answer): string =>
  `${where}: ${status} ${typeof body === "string" ? body.slice(0, 80) : (body?.error?.code ?? "")}`;

/** Callers without access: all use the same subject, as none of them changes it. */
async function askRefused(stage: Stage, one: Case, { asked }: Prepared): Promise<string[]> {
  const misses: string[] = [];
  for (const asker of askers) {
    const verdict = verdictOf(one.right, asker);
    if (verdict === "in") continue;
    const where = `${one.name} by ${asker}`;
    const sender = await senderOf(stage, asker, one, verdict);
    const before = stage.dump();
    const answer = await send(sender, one.spec, asked);
    if (!wasRefused(answer, verdict)) misses.push(told(where, answer));
    else if (stage.dump() !== before) misses.push(`${where}: refused, and something changed`);
  }
  return misses;
}

/** Callers with access, each with a new subject. */
async function askAllowed(stage: Stage, one: Case, found: Found): Promise<void> {
  for (const asker of askers) {
    if (verdictOf(one.right, asker) !== "in") continue;
    const where = `${one.name} by ${asker}`;
    const sender = await senderOf(stage, asker, one, "in");
    const me = isRole(asker) ? (sender as Person) : await rightful(stage, one);
    const asked = await one.sample.ask(stage, me);
    const answer = await send(sender, one.spec, asked);
    await one.sample.after?.(stage);
    if (!passed(answer, asked)) found.misses.push(told(where, answer));
    // A caller with a link, or signed in as another user, sees that user's own data.
    if (asker === "stranger" && one.right !== "anyone")
      found.seen.push({ where, text: JSON.stringify(answer.body) });
  }
}

/** Account B requests account A's items: it gets 404, and they stay unchanged. */
async function askForeign(stage: Stage, { name, spec, sample }: Case): Promise<string | undefined> {
  const asked = await sample.foreign?.(stage);
  if (asked === undefined) return undefined;
  const stranger = stage.person("stranger");
  const before = stage.dump();
  const answer = await send(stranger, spec, asked);
  if (answer.status !== 404 || answer.body?.error?.code !== "not_found")
    return told(`${name} of A by B`, answer);
  return stage.dump() === before ? undefined : `${name} of A by B: not found, and something changed`;
}

const forgeries: readonly Record<string, string>[] = [
  { "x-plaza-csrf": "" },
  { origin: "https://evil.test" },
  { "sec-fetch-site": "cross-site" },
];

/** A session alone does not permit a change: without the CSRF token, or from another site. */
async function askForged(stage: Stage, { name, spec }: Case, { me, asked }: Prepared): Promise<string[]> {
  const misses: string[] = [];
  const before = stage.dump();
  for (const headers of forgeries) {
    const where = `${name} with ${JSON.stringify(headers)}`;
    const answer = await send(me, spec, asked, headers);
    const isRefused = answer.status === 403 && answer.body?.error?.code === "forgery_suspected";
    if (!isRefused) misses.push(told(where, answer));
    else if (stage.dump() !== before) misses.push(`${where}: refused, and something changed`);
  }
  return misses;
}

/** Data that only members of account A may see. */
async function canariesOf(stage: Stage): Promise<string[]> {
  const owner = await stage.newPerson("owner");
  const { body: made } = await owner.call("POST", "/keys", { name: "canary of account A" });
  return [
    stage.rig.accountA,
    "Account A",
    made.key.id,
    made.key.visiblePrefix,
    made.secret,
    await stage.newRequest(stage.rig.accountA),
    owner.userId,
    owner.email,
    "member@a.test",
    "owner@a.test",
    "operator@plaza.test",
  ];
}

/**
 * Routes and table must match, and every route about the caller's own items must have a sample for another's.
 */
function gaps(): string[] {
  const names = Object.keys(apiRoutes);
  return [
    ...names.filter((name) => rights[name] === undefined).map((name) => `${name}: no row in p24-table.ts`),
    ...names
      .filter((name) => samples[name] === undefined)
      .map((name) => `${name}: no sample in p24-samples.ts`),
    ...[...Object.keys(rights), ...Object.keys(samples)]
      .filter((name) => !names.includes(name))
      .map((name) => `${name}: no such route`),
    ...Object.entries(apiRoutes as Readonly<Record<string, RouteSpec>>)
      .filter(([name, { path, access }]) => {
        const isOwn = access === "user" || access === "member" || access === "owner";
        return path.includes("{") && isOwn && samples[name]?.foreign === undefined;
      })
      .map(([name]) => `${name}: nothing of another's to ask for in p24-samples.ts`),
  ];
}

function cases(): Case[] {
  return Object.entries(apiRoutes as Readonly<Record<string, RouteSpec>>).flatMap(([name, spec]) => {
    const [right, sample] = [rights[name], samples[name]];
    return right === undefined || sample === undefined ? [] : [{ name, spec, right, sample }];
  });
}

const isForgeable = ({ spec, right }: Case): boolean => spec.method !== "get" && right !== "anyone";

async function play(stage: Stage): Promise<Figure[]> {
  const all = cases();
  const canaries = await canariesOf(stage);
  const found: Found = { misses: [], seen: [] };
  const forged: string[] = [];
  const taken: string[] = [];
  for (const one of all) {
    const me = await rightful(stage, one);
    const prepared = { me, asked: await one.sample.ask(stage, me) };
    found.misses.push(...(await askRefused(stage, one, prepared)));
    if (isForgeable(one)) forged.push(...(await askForged(stage, one, prepared)));
    taken.push(...[await askForeign(stage, one)].filter((miss) => miss !== undefined));
    await askAllowed(stage, one, found);
  }
  const leaks = found.seen.flatMap(({ where, text }) =>
    canaries.filter((canary) => text.includes(canary)).map((canary) => `${where}: ${canary}`),
  );
  const foreign = all.filter(({ sample }) => sample.foreign !== undefined).length;
  const changes = all.filter(isForgeable).length * forgeries.length;
  return [
    countFigure("P24", "routes with a row and a sample", Object.keys(apiRoutes).length, gaps()),
    countFigure("P24", "cells of routes and roles", all.length * askers.length, found.misses),
    countFigure("P24", "things of one account asked for by another", foreign, taken),
    countFigure("P24", "changes without the page's token or from elsewhere", changes, forged),
    zeroFigure("P24", "what is one account's in answers to another", found.seen.length, leaks),
  ];
}

export const run: Rig = async ({ seed }) => {
  const endings: (() => Promise<void> | void)[] = [];
  const stage = await setStage({ after: (ending) => void endings.push(ending) });
  try {
    return [...(await play(stage)), ...(await searchCallers(seed))];
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
};
