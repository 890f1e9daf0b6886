/** Handlers of `contract/api/people.ts`. */

import type { peopleRoutes } from "@plaza/contract/api/people.ts";
import type { AnswerOf } from "@plaza/contract/api/route.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { isSame } from "../../lib/record.ts";
import type { Link, OperatorToken, PersonOutcome, User } from "../../store/people/people.ts";
import { createLink, linkAddress } from "../auth/links.ts";
import { createOperatorToken } from "../auth/operator-token.ts";
import { digestOf } from "../auth/secret-text.ts";
import { isOfCurrentSetting } from "../auth/setting-maker.ts";
import { foldEmail } from "../auth/sign-in.ts";
import type { Automation, Call, ControlContext, HandlersOf, SignedIn } from "../context.ts";
import { refuseField } from "../field-faults.ts";

type Routes = typeof peopleRoutes;
type Handlers = HandlersOf<Routes>;
type Member = AnswerOf<Routes["changeMember"]>;
type UserRow = AnswerOf<Routes["changeUser"]>;
type Invitation = AnswerOf<Routes["listInvitations"]>["invitations"][number];
type TokenRow = AnswerOf<Routes["createToken"]>["token"];

/** Most open invitations per account. */
const invitationsMax = 100;

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const toMember = (user: User, keysMade: Readonly<Record<string, number>>): Member => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.account?.role ?? "member",
  status: user.status,
  hasTwoFactor: user.hasTwoFactor,
  keysMade: keysMade[user.id] ?? 0,
  createdAt: iso(user.createdAt),
  seenAt: isoOrNull(user.seenAt),
});

const toRow = (user: User): UserRow => ({
  id: user.id,
  email: user.email,
  name: user.name,
  isOperator: user.isOperator,
  status: user.status,
  account:
    user.account === null ? null : { id: user.account.id, name: user.account.name, role: user.account.role },
  hasPassword: user.hasPassword,
  hasTwoFactor: user.hasTwoFactor,
  createdAt: iso(user.createdAt),
  seenAt: isoOrNull(user.seenAt),
  revision: user.revision,
});

const toInvitation = (link: Link): Invitation => ({
  id: link.id,
  email: link.email ?? "",
  role: link.role,
  isOperator: link.isOperator,
  account: link.accountId === null ? null : { id: link.accountId, name: link.accountName ?? "" },
  createdAt: iso(link.createdAt),
  expiresAt: iso(link.expiresAt),
});

const toTokenRow = (token: OperatorToken, isEnded: boolean): TokenRow => ({
  id: token.id,
  name: token.name,
  visiblePrefix: token.visiblePrefix,
  scopes: [...token.scopes],
  createdBy: token.createdByEmail,
  createdAt: iso(token.createdAt),
  expiresAt: isoOrNull(token.expiresAt),
  usedAt: isoOrNull(token.usedAt),
  revokedAt: isoOrNull(token.revokedAt),
  isEnded,
});

/** Reads one more than the page to know whether there is a next one. */
function pageOf<T extends { readonly id: string }>(
  rows: readonly T[],
  limit: number,
): { rows: readonly T[]; next: string | null } {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

function personOrRefuse(outcome: PersonOutcome): User {
  switch (outcome.kind) {
    case "done":
      return outcome.user;
    case "missing":
      throw new GatewayError("not_found", { message: message("people.userUnknown") });
    case "changed_meanwhile":
      throw new GatewayError("changed_meanwhile");
    case "last_owner":
      throw new GatewayError("not_permitted", {
        message: message("people.lastOwner"),
      });
    case "last_operator":
      throw new GatewayError("not_permitted", {
        message: message("people.lastOperator"),
      });
    case "no_account":
      return refuseField("accountId", message("people.accountUnknown"));
  }
}

type Operating = SignedIn | Automation;

/** The creator to record. */
const makerOf = (viewer: Operating): string => (viewer.kind === "user" ? viewer.userId : viewer.makerId);

/** A token that may change accounts must not create, become or lock out operators. */
function requireOverOperators(viewer: Operating, isAboutOperator: boolean): void {
  if (!isAboutOperator || viewer.kind === "user" || viewer.scopes.has("installation:write")) return;
  throw new GatewayError("not_permitted", {
    message: message("people.operatorScopeLacking"),
  });
}

/** Throws `already_exists` when the address is in use. */
async function requireNew({ store }: ControlContext, email: string): Promise<void> {
  if ((await store.findUserSecrets({ email })) === undefined) return;
  const taken = message("people.emailTaken");
  throw new GatewayError("already_exists", {
    message: taken,
    param: "email",
    fields: [{ path: "email", message: taken }],
  });
}

async function invite(
  context: ControlContext,
  call: Pick<Call, "from" | "note">,
  purpose: {
    email: string;
    accountId: string | null;
    role: "owner" | "member" | null;
    isOperator: boolean;
    createdBy: string | null;
  },
) {
  const email = foldEmail(purpose.email);
  await requireNew(context, email);
  const link = await createLink(context, "invitation", { ...purpose, email });
  const { role, isOperator, accountId } = purpose;
  call.note(link.id, { email, role, isOperator, ...(accountId === null ? {} : { accountId }) });
  return {
    id: link.id,
    token: link.token,
    url: linkAddress(call.from.site, link.token),
    expiresAt: iso(link.expiresAt),
  };
}

async function getUser({ store }: ControlContext, id: string): Promise<User> {
  const user = await store.findUser(id);
  if (user === undefined) throw new GatewayError("not_found", { message: message("people.userUnknown") });
  return user;
}

/** Throws when the invitation does not exist, or creates an operator and the caller may not decide that. */
async function withdraw(
  { store }: ControlContext,
  viewer: Operating,
  { id, accountId }: { readonly id: string; readonly accountId?: string },
): Promise<Link> {
  const sparesOperators =
    viewer.kind === "user" ? !viewer.isOperator : !viewer.scopes.has("installation:write");
  const outcome = await store.withdrawInvitation(id, { accountId, sparesOperators });
  if (outcome.kind === "done") return outcome.link;
  if (outcome.kind === "missing") throw noInvitation();
  if (viewer.kind === "token") requireOverOperators(viewer, true);
  throw new GatewayError("not_permitted", {
    message: message("people.invitationOfOperator"),
  });
}

const noInvitation = () => new GatewayError("not_found", { message: message("people.invitationUnknown") });

const memberHandlers: Pick<
  Handlers,
  "listMembers" | "changeMember" | "removeMember" | "listInvitations" | "inviteMember" | "withdrawInvitation"
> = {
  async listMembers({ store }, { viewer, query }) {
    const page = { limit: query.limit + 1, afterId: query.cursor };
    const { rows, next } = pageOf(await store.listMembers(viewer.account.id, page), query.limit);
    const ids = rows.map(({ id }) => id);
    const made = await store.countKeysMade(viewer.account.id, ids);
    return { members: rows.map((user) => toMember(user, made)), next };
  },
  async changeMember({ store }, { viewer, params, body, note, unchanged }) {
    note(params.id, { role: body.role });
    const before = await store.findUser(params.id);
    if (before?.account?.id === viewer.account.id && before.account.role === body.role) {
      unchanged();
      return toMember(before, await store.countKeysMade(viewer.account.id, [before.id]));
    }
    const change = { accountId: viewer.account.id, userId: params.id, role: body.role };
    const user = personOrRefuse(await store.changeMember(change));
    return toMember(user, await store.countKeysMade(change.accountId, [user.id]));
  },
  async removeMember({ store }, { viewer, params, query, note }) {
    const removal = { accountId: viewer.account.id, userId: params.id };
    const outcome = await store.removeMember({ ...removal, revokesKeys: query.keys === "revoke" });
    const { email } = personOrRefuse(outcome);
    const keys = outcome.kind === "done" ? outcome.keys : { kept: 0, revoked: 0 };
    note(params.id, { email, keysKept: keys.kept, keysRevoked: keys.revoked });
    return { keys };
  },
  async listInvitations({ store, clock }, { viewer }) {
    const filter = { accountId: viewer.account.id, nowMs: clock.wallMs(), limit: invitationsMax };
    return { invitations: (await store.listInvitations(filter)).map(toInvitation) };
  },
  async inviteMember(context, call) {
    const { viewer, body } = call;
    const { store, clock } = context;
    const accountId = viewer.account.id;
    const open = await store.listInvitations({ accountId, nowMs: clock.wallMs(), limit: invitationsMax });
    if (open.length >= invitationsMax)
      throw new GatewayError("invalid_request", {
        message: message("people.invitationsTooMany", { max: invitationsMax }),
      });
    const { email, role } = body;
    return await invite(context, call, {
      email,
      role,
      accountId,
      isOperator: false,
      createdBy: viewer.userId,
    });
  },
  async withdrawInvitation(context, { viewer, params, note }) {
    const link = await withdraw(context, viewer, { id: params.id, accountId: viewer.account.id });
    note(params.id, { email: link.email });
  },
};

const changeUser: Handlers["changeUser"] = async (context, call) => {
  const { viewer, params, body } = call;
  call.note(params.id, { ...body });
  const user = await getUser(context, params.id);
  requireOverOperators(viewer, user.isOperator || body.isOperator === true);
  const isOneself = viewer.kind === "user" && viewer.userId === user.id;
  const isDiminished =
    (body.status !== undefined && body.status !== user.status) ||
    (body.isOperator !== undefined && body.isOperator !== user.isOperator);
  if (isOneself && isDiminished)
    throw new GatewayError("not_permitted", {
      message: message("people.ownRights"),
    });
  const { id: accountId = null, role } = user.account ?? {};
  const { revision: _, ...given } = body;
  if (isSame({ ...user, accountId, role }, given)) {
    call.unchanged();
    return toRow(user);
  }
  return toRow(personOrRefuse(await context.store.changeUser({ id: user.id, ...body })));
};

const userHandlers: Pick<
  Handlers,
  | "listUsers"
  | "inviteUser"
  | "listUserInvitations"
  | "withdrawUserInvitation"
  | "getUser"
  | "changeUser"
  | "makeResetLink"
  | "endUserSessions"
> = {
  async listUsers({ store }, { query }) {
    const { limit, cursor, ...filter } = query;
    const { rows, next } = pageOf(
      await store.listUsers({ ...filter, limit: limit + 1, afterId: cursor }),
      limit,
    );
    return { users: rows.map(toRow), next };
  },
  async inviteUser(context, call) {
    const { viewer, body } = call;
    requireOverOperators(viewer, body.isOperator);
    const account =
      body.accountId === undefined ? undefined : await context.store.findAccount(body.accountId);
    if (body.accountId !== undefined && (account === undefined || account.status === "closed"))
      refuseField("accountId", message("people.accountUnknown"));
    return await invite(context, call, {
      email: body.email,
      accountId: account?.id ?? null,
      role: account === undefined ? null : (body.role ?? "owner"),
      isOperator: body.isOperator,
      createdBy: makerOf(viewer),
    });
  },
  async listUserInvitations({ store, clock }, { query }) {
    const filter = { nowMs: clock.wallMs(), limit: query.limit + 1, afterId: query.cursor };
    const { rows, next } = pageOf(await store.listInvitations(filter), query.limit);
    return { invitations: rows.map(toInvitation), next };
  },
  async withdrawUserInvitation(context, { viewer, params, note }) {
    const link = await withdraw(context, viewer, { id: params.id });
    note(params.id, { email: link.email });
  },
  async getUser(context, { params }) {
    return toRow(await getUser(context, params.id));
  },
  changeUser,
  async makeResetLink(context, call) {
    const { viewer, params, from } = call;
    const user = await getUser(context, params.id);
    requireOverOperators(viewer, user.isOperator);
    if (user.status !== "active") refuseField("status", message("people.userDisabled"));
    const { id: userId, isOperator } = user;
    const link = await createLink(context, "reset", { userId, isOperator, createdBy: makerOf(viewer) });
    return {
      id: link.id,
      token: link.token,
      url: linkAddress(from.site, link.token),
      expiresAt: iso(link.expiresAt),
    };
  },
  async endUserSessions(context, { viewer, params, note, unchanged }) {
    const user = await getUser(context, params.id);
    requireOverOperators(viewer, user.isOperator);
    const ended = await context.store.endSessions(user.id);
    if (ended === 0) unchanged();
    note(user.id, { ended });
    return { ended };
  },
};

const createToken: Handlers["createToken"] = async (context, { viewer, body, note }) => {
  const { store, clock, newId, randomBytes } = context;
  const scopes = [...new Set(body.scopes)];
  const missing = viewer.kind === "token" ? scopes.filter((scope) => !viewer.scopes.has(scope)) : [];
  if (missing.length > 0)
    throw new GatewayError("not_permitted", {
      message: message("people.scopesLacking", { scopes: missing.join(", ") }),
    });
  const nowMs = clock.wallMs();
  const latest = viewer.kind === "token" ? viewer.expiresAt : null;
  const expiresAt = body.expiresAt == null ? latest : Date.parse(body.expiresAt);
  if (latest !== null && expiresAt !== null && expiresAt > latest)
    refuseField("expiresAt", message("people.tokenTooLong", { until: iso(latest) }));
  if (expiresAt !== null && expiresAt <= nowMs) refuseField("expiresAt", message("people.timePast"));
  const { secret, visiblePrefix } = createOperatorToken(randomBytes);
  const token = {
    id: newId("otk"),
    name: body.name,
    visiblePrefix,
    scopes,
    createdBy: makerOf(viewer),
    createdAt: nowMs,
    expiresAt,
  };
  if (!(await store.createOperatorToken({ ...token, digest: digestOf(secret) })))
    throw new GatewayError("not_signed_in", { message: message("people.callerEnded") });
  note(token.id, { name: token.name, scopes });
  const createdByEmail = viewer.kind === "user" ? viewer.email : null;
  return { token: toTokenRow({ ...token, createdByEmail, usedAt: null, revokedAt: null }, false), secret };
};

const tokenHandlers: Pick<Handlers, "listTokens" | "createToken" | "revokeToken"> = {
  async listTokens(context, { query }) {
    const page = { limit: query.limit + 1, afterId: query.cursor };
    const { rows, next } = pageOf(await context.store.listOperatorTokens(page), query.limit);
    const tokens: TokenRow[] = [];
    for (const row of rows) tokens.push(toTokenRow(row, !(await isOfCurrentSetting(context, row.createdBy))));
    return { tokens, next };
  },
  createToken,
  async revokeToken({ store, clock }, { params, note, unchanged }) {
    const nowMs = clock.wallMs();
    const token = await store.revokeOperatorToken(params.id, nowMs);
    if (token === undefined) throw new GatewayError("not_found", { message: message("people.tokenUnknown") });
    if (token.revokedAt !== nowMs) unchanged();
    note(params.id, { name: token.name });
  },
};

export const peopleHandlers: Handlers = { ...memberHandlers, ...userHandlers, ...tokenHandlers };
