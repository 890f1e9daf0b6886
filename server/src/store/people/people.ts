/**
 * Store methods for users, sessions, links, operator tokens, failed attempts and audit log entries. The
 * serving thread loads this file, so it has no SQL. Times are Unix milliseconds from the caller; digests are
 * SHA-256 in hex.
 */
import type { TokenScope } from "@plaza/contract/api/route.ts";

export type Role = "owner" | "member";

export interface User {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
  readonly status: "active" | "disabled";
  readonly account: {
    readonly id: string;
    readonly name: string;
    readonly role: Role;
    readonly status: "active" | "suspended" | "closed";
  } | null;
  readonly hasPassword: boolean;
  /** True when a second factor is active. */
  readonly hasTwoFactor: boolean;
  readonly language: "en" | "zh" | "ja" | null;
  readonly theme: "light" | "dark" | null;
  readonly timeZone: string | null;
  readonly createdAt: number;
  readonly seenAt: number | null;
  readonly revision: number;
}

/** What signing in compares with; never leaves the server. */
export interface UserSecrets {
  readonly user: User;
  /** argon2id in its text form. */
  readonly password: string | null;
  /** Secret of the authenticator app in base32; null: none, or it can no longer be opened. */
  readonly totpSecret: string | null;
  readonly totpIsConfirmed: boolean;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  /** The token a page sends with every change. */
  readonly csrf: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly createdAt: number;
  readonly rotatedAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
}

export interface FoundSession {
  readonly session: Session;
  readonly user: User;
  /** True when it was found by its secret from before the last rotation. */
  readonly isPrevious: boolean;
}

export type LinkKind = "setup" | "invitation" | "reset";

export interface NewLink {
  readonly id: string;
  readonly digest: string;
  readonly kind: LinkKind;
  readonly email: string | null;
  /** The user of a password reset. */
  readonly userId: string | null;
  readonly accountId: string | null;
  readonly role: Role | null;
  /** For an invitation: it creates an operator. For a reset: the user may be an operator. */
  readonly isOperator: boolean;
  /** A user, or an operator token. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface Link extends Omit<NewLink, "digest"> {
  readonly accountName: string | null;
  readonly usedAt: number | null;
}

/** The result of using a link; `missing` also when it expired or its subject was deleted. */
export type LinkOutcome =
  | { readonly kind: "done"; readonly userId: string }
  | { readonly kind: "missing" | "used" | "email_taken" | "already_set_up" };

/** Why a change of a person was not made. */
export type PersonRefusal = "missing" | "changed_meanwhile" | "last_owner" | "last_operator" | "no_account";

export type PersonOutcome = { readonly kind: "done"; readonly user: User } | { readonly kind: PersonRefusal };

/** The keys that a removed user had created, without those revoked earlier. */
export interface LeftKeys {
  readonly kept: number;
  readonly revoked: number;
}

export type RemovalOutcome =
  | { readonly kind: "done"; readonly user: User; readonly keys: LeftKeys }
  | { readonly kind: "missing" | "last_owner" };

export interface NewOperatorToken {
  readonly id: string;
  readonly name: string;
  readonly visiblePrefix: string;
  readonly digest: string;
  readonly scopes: readonly TokenScope[];
  /** A user, or the token that created it; it ends with that token. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface OperatorToken extends Omit<NewOperatorToken, "digest"> {
  /** Email of the user who created it, if that user still exists. */
  readonly createdByEmail: string | null;
  readonly usedAt: number | null;
  readonly revokedAt: number | null;
}

/** What attempts are counted by: an email address, a network, a user. */
export interface AttemptSubject {
  /** `kind:digest`. */
  readonly subject: string;
  /** Failures without a wait. */
  readonly free: number;
}

export type AttemptStart =
  | { readonly isAllowed: true; readonly counted: readonly CountedAttempt[] }
  | { readonly isAllowed: false; readonly waitMs: number };

/** How an attempt was counted, so that it can be undone. */
export interface CountedAttempt {
  readonly subject: string;
  readonly failures: number;
  readonly blockedBefore: number;
}

export interface NewAuditEntry {
  readonly at: number;
  readonly actorKind: "user" | "token" | "cli";
  readonly actorId: string | null;
  readonly actorName: string;
  readonly accountId: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** JSON object. */
  readonly detail: string | null;
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly outcome: "begun" | "done" | "refused";
}

/** How an action ended; undefined members stay unchanged. */
export interface AuditEnd {
  readonly outcome: "done" | "refused";
  readonly accountId?: string | undefined;
  readonly subject?: string | undefined;
  readonly detail?: string | undefined;
}

/** Part of a list: at most `limit` items after the one with this id. */
export interface Page {
  readonly limit: number;
  readonly afterId?: string | undefined;
}

export interface UserFilter extends Page {
  /** Part of a name or email address. */
  readonly search?: string | undefined;
  readonly accountId?: string | undefined;
  readonly status?: User["status"] | undefined;
  readonly isOperator?: boolean | undefined;
}

/** A person authenticated by an identity provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Verified, in lower case. */
  readonly email: string | null;
  readonly name: string;
}

export type IdentityOutcome =
  | { readonly kind: "known" | "linked" | "joined"; readonly userId: string }
  | { readonly kind: "unknown" };

export interface PeopleStore {
  /** What pages need to know before sign-in. */
  readInstallation(): Promise<{
    hasOperator: boolean;
    /** True when the only upstreams are those of the built-in demo. */
    isDemoOnly: boolean;
  }>;

  findUser(id: string): Promise<User | undefined>;
  findUserSecrets(by: { id: string } | { email: string }): Promise<UserSecrets | undefined>;
  /** Newest first. */
  listUsers(filter: UserFilter): Promise<User[]>;
  /** Users of an account, oldest first. */
  listMembers(accountId: string, page: Page): Promise<User[]>;
  /** Operators who can sign in, oldest first; at most 100. */
  listOperators(): Promise<User[]>;
  setProfile(
    id: string,
    profile: { [Name in "name" | "language" | "theme" | "timeZone"]?: User[Name] | undefined },
  ): Promise<User | undefined>;
  /** Also ends the user's other sessions and reset links. */
  setPassword(id: string, password: string, keepSessionId: string): Promise<void>;
  /** Stores a new hash of the same password; does nothing if the password was changed meanwhile. */
  rehashPassword(id: string, from: string, to: string): Promise<void>;
  /** Stores the secret of an app that is being set up; returns false when one is already active. */
  beginTotp(id: string, secret: string): Promise<boolean>;
  /**
   * Activates the secret and marks its step as used. Replaces recovery codes and ends other sessions. Returns
   * false when this secret is not the one being set up.
   */
  confirmTotp(confirmation: {
    userId: string;
    secret: string;
    step: number;
    recoveryDigests: readonly string[];
    keepSessionId: string;
    nowMs: number;
  }): Promise<boolean>;
  endTotp(userId: string): Promise<void>;
  /** Uses a step of the app; returns false when it or a later one was used before. */
  takeTotpStep(userId: string, step: number): Promise<boolean>;
  /** Uses a recovery code; returns false when it does not exist or was used. */
  takeRecoveryCode(userId: string, digest: string, nowMs: number): Promise<boolean>;
  setRecoveryCodes(userId: string, digests: readonly string[]): Promise<void>;

  /** Also ends the user's oldest sessions beyond 100, and deletes some expired ones. */
  createSession(session: Session & { digest: string; idleMs: number }): Promise<void>;
  /** Finds by the secret's digest, or by the one before if it was replaced after `previousSince`. */
  findSession(digest: string, previousSince: number): Promise<FoundSession | undefined>;
  readSession(id: string): Promise<{ session: Session; user: User } | undefined>;
  /** Records that session and user were seen. */
  touchSession(id: string, nowMs: number, from: { ip: string; userAgent: string }): Promise<void>;
  /** Gives a session a new secret; returns false when another request just did. */
  rotateSession(rotation: { id: string; from: string; to: string; nowMs: number }): Promise<boolean>;
  /** Most recently seen first. */
  listSessions(userId: string): Promise<Session[]>;
  endSession(userId: string, id: string): Promise<boolean>;
  /** Resolves with the number of ended sessions. */
  endSessions(userId: string, exceptId?: string): Promise<number>;

  createLink(link: NewLink): Promise<void>;
  /** Makes all other setup links invalid; returns false when there is an operator. */
  replaceSetupLink(link: NewLink): Promise<boolean>;
  findLink(digest: string): Promise<Link | undefined>;
  /** Creates the user or sets the password, all or nothing; the link is then used. */
  useLink(use: {
    digest: string;
    userId: string;
    /** For a setup link. */
    email?: string | undefined;
    name?: string | undefined;
    password: string;
    nowMs: number;
  }): Promise<LinkOutcome>;
  /** Open invitations, newest first. */
  listInvitations(filter: Page & { accountId?: string | undefined; nowMs: number }): Promise<Link[]>;
  /** `missing` when there is no open invitation (of this account, if given). */
  withdrawInvitation(
    id: string,
    which: {
      accountId?: string | undefined;
      /** Invitations that create an operator are not withdrawn. */
      sparesOperators: boolean;
    },
  ): Promise<{ readonly kind: "done"; readonly link: Link } | { readonly kind: "missing" | "of_operator" }>;

  changeMember(change: { accountId: string; userId: string; role: Role }): Promise<PersonOutcome>;
  /** Number of unrevoked keys of the account by the user who created them; others are left out. */
  countKeysMade(accountId: string, userIds: readonly string[]): Promise<Readonly<Record<string, number>>>;
  /**
   * Deletes a user; an operator only leaves the account. Keys the user created stay, unless they are to be
   * revoked.
   */
  removeMember(removal: { accountId: string; userId: string; revokesKeys: boolean }): Promise<RemovalOutcome>;
  /**
   * Signs the user out everywhere when the rights change, and voids links and invitations the user created or
   * received. When the user stops being an operator, its operator tokens and those created with them are
   * revoked.
   */
  changeUser(change: {
    id: string;
    revision: number;
    status?: User["status"] | undefined;
    accountId?: string | null | undefined;
    role?: Role | undefined;
    isOperator?: boolean | undefined;
  }): Promise<PersonOutcome>;

  /**
   * Finds the user of an identity. An unknown identity is linked to the user with its verified email address.
   * That user's password and second factor stop working, unless it is an operator: they were set through a
   * link, which does not prove the address. Without such a user, an open invitation to the address is used,
   * or, with `signUp`, a user with a new account is created.
   */
  findIdentity(
    identity: Identity,
    making: { userId: string; signUp?: { accountId: string } | undefined; nowMs: number },
  ): Promise<IdentityOutcome>;

  /**
   * Returns false when its creator is no longer an operator, or is a token that is revoked, expired or ends
   * sooner.
   */
  createOperatorToken(token: NewOperatorToken): Promise<boolean>;
  /** The first creator in the chain that is not one of the store's tokens, or the id itself. */
  findFirstMaker(id: string): Promise<string>;
  /** Changes the creator of all tokens and links that `maker` created. */
  bindMadeBy(maker: string, newMaker: string): Promise<void>;
  /** In any state. */
  findOperatorToken(digest: string): Promise<OperatorToken | undefined>;
  touchOperatorToken(id: string, nowMs: number): Promise<void>;
  /** Newest first. */
  listOperatorTokens(page: Page): Promise<OperatorToken[]>;
  /** Also ends the tokens created with it, with those, and so on, and the links created with any of them. */
  revokeOperatorToken(id: string, nowMs: number): Promise<OperatorToken | undefined>;

  /**
   * Counts an attempt as failed before it is made, so that concurrent attempts cannot exceed the limit.
   * Nothing is counted when it is refused.
   */
  beginAttempt(subjects: readonly AttemptSubject[], nowMs: number): Promise<AttemptStart>;
  /** Undoes an attempt that neither failed nor cleared anything. */
  undoAttempt(counted: readonly CountedAttempt[]): Promise<void>;
  /** Clears all failures. */
  clearAttempts(subjects: readonly string[]): Promise<void>;

  /** Resolves with the entry's id. */
  beginAudit(entry: NewAuditEntry): Promise<number>;
  endAudit(id: number, end: AuditEnd): Promise<void>;
  /** Deletes an entry whose action did not happen. */
  dropAudit(id: number): Promise<void>;
}

/** Every method of `PeopleStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const peopleMethods = {
  readInstallation: true,
  findUser: true,
  findUserSecrets: true,
  listUsers: true,
  listMembers: true,
  listOperators: true,
  setProfile: true,
  setPassword: true,
  rehashPassword: true,
  beginTotp: true,
  confirmTotp: true,
  endTotp: true,
  takeTotpStep: true,
  takeRecoveryCode: true,
  setRecoveryCodes: true,
  createSession: true,
  findSession: true,
  readSession: true,
  touchSession: true,
  rotateSession: true,
  listSessions: true,
  endSession: true,
  endSessions: true,
  createLink: true,
  replaceSetupLink: true,
  findLink: true,
  useLink: true,
  listInvitations: true,
  withdrawInvitation: true,
  countKeysMade: true,
  changeMember: true,
  removeMember: true,
  changeUser: true,
  findIdentity: true,
  createOperatorToken: true,
  findOperatorToken: true,
  touchOperatorToken: true,
  listOperatorTokens: true,
  revokeOperatorToken: true,
  findFirstMaker: true,
  bindMadeBy: true,
  beginAttempt: true,
  undoAttempt: true,
  clearAttempts: true,
  beginAudit: true,
  endAudit: true,
  dropAudit: true,
} as const satisfies Record<keyof PeopleStore, true>;
