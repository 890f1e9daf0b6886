/**
 * Users, sessions, links, operator tokens, failed attempts and the lines of the audit log: what the store
 * offers of them. Loaded by the serving thread, so no SQL code here. Times are Unix milliseconds, given by
 * the caller; digests are SHA-256 in hex.
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
  /** A second factor that counts. */
  readonly hasTwoFactor: boolean;
  readonly language: "en" | "zh" | null;
  readonly theme: "light" | "dark" | null;
  readonly timeZone: string | null;
  readonly createdAt: number;
  readonly seenAt: number | null;
  readonly revision: number;
}

/** What signing in compares; never leaves the server. */
export interface UserSecrets {
  readonly user: User;
  /** argon2id in its text form. */
  readonly password: string | null;
  /** Of the authenticator app, in base32; null = none, or one that cannot be opened any more. */
  readonly totpSecret: string | null;
  readonly totpIsConfirmed: boolean;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  /** What a page sends with every change. */
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
  /** It was found by the secret it had before the last rotation. */
  readonly isPrevious: boolean;
}

export type LinkKind = "setup" | "invitation" | "reset";

export interface NewLink {
  readonly id: string;
  readonly digest: string;
  readonly kind: LinkKind;
  readonly email: string | null;
  /** Of a reset. */
  readonly userId: string | null;
  readonly accountId: string | null;
  readonly role: Role | null;
  /** Of an invitation: it makes an operator. Of a reset: it may be for one. */
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

/** The result of using a link; `missing` also when it expired or its subject is gone. */
export type LinkOutcome =
  | { readonly kind: "done"; readonly userId: string }
  | { readonly kind: "missing" | "used" | "email_taken" | "already_set_up" };

/** Why a change of a person was not made. */
export type PersonRefusal = "missing" | "changed_meanwhile" | "last_owner" | "last_operator" | "no_account";

export type PersonOutcome = { readonly kind: "done"; readonly user: User } | { readonly kind: PersonRefusal };

/** What happened to the keys that a removed user created; keys revoked earlier are not counted. */
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
  /** A user, or the token it was made with: it ends with that. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface OperatorToken extends Omit<NewOperatorToken, "digest"> {
  /** Email of who made it, where that is a user who still exists. */
  readonly createdByEmail: string | null;
  readonly usedAt: number | null;
  readonly revokedAt: number | null;
}

/** One thing that attempts are counted by: an email address, a network, a user. */
export interface AttemptSubject {
  /** `kind:digest`. */
  readonly subject: string;
  /** Failures that cost no waiting. */
  readonly free: number;
}

export type AttemptStart =
  | { readonly isAllowed: true; readonly counted: readonly CountedAttempt[] }
  | { readonly isAllowed: false; readonly waitMs: number };

/** How an attempt was counted, for taking it back. */
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

/** How an act ended; what is undefined stays as it was. */
export interface AuditEnd {
  readonly outcome: "done" | "refused";
  readonly accountId?: string | undefined;
  readonly subject?: string | undefined;
  readonly detail?: string | undefined;
}

/** Part of a list: at most `limit`, after the one with this id in the list's order. */
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

/** A person an identity provider vouches for. */
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
    /** There is no upstream but those of the built-in demo. */
    isDemoOnly: boolean;
  }>;

  findUser(id: string): Promise<User | undefined>;
  findUserSecrets(by: { id: string } | { email: string }): Promise<UserSecrets | undefined>;
  /** Newest first. */
  listUsers(filter: UserFilter): Promise<User[]>;
  /** Users of an account, oldest first. */
  listMembers(accountId: string, page: Page): Promise<User[]>;
  /** Operators that can sign in, oldest first; at most 100. */
  listOperators(): Promise<User[]>;
  setProfile(
    id: string,
    profile: { [Name in "name" | "language" | "theme" | "timeZone"]?: User[Name] | undefined },
  ): Promise<User | undefined>;
  /** Ends every session but `keepSessionId`, and reset links of the user. */
  setPassword(id: string, password: string, keepSessionId: string): Promise<void>;
  /** The same password, hashed anew; nothing where it was changed meanwhile. */
  rehashPassword(id: string, from: string, to: string): Promise<void>;
  /** Keeps the secret of an app that is being set up; false where one counts already. */
  beginTotp(id: string, secret: string): Promise<boolean>;
  /**
   * From now on the secret given counts, and its step is used; recovery codes are replaced and other sessions
   * end. False where it is not the one being set up.
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
  /** Uses a step of the app; false where it, or a later one, was used before. */
  takeTotpStep(userId: string, step: number): Promise<boolean>;
  /** Uses a recovery code; false where there is none like it, or it was used before. */
  takeRecoveryCode(userId: string, digest: string, nowMs: number): Promise<boolean>;
  setRecoveryCodes(userId: string, digests: readonly string[]): Promise<void>;

  /** Also ends the user's oldest sessions beyond 100, and drops some that are over anyway. */
  createSession(session: Session & { digest: string; idleMs: number }): Promise<void>;
  /** By its secret's digest, or the one before it if that was replaced after `previousSince`. */
  findSession(digest: string, previousSince: number): Promise<FoundSession | undefined>;
  readSession(id: string): Promise<{ session: Session; user: User } | undefined>;
  /** Marks session and user as seen. */
  touchSession(id: string, nowMs: number, from: { ip: string; userAgent: string }): Promise<void>;
  /** Gives a session a new secret; false when another request just did. */
  rotateSession(rotation: { id: string; from: string; to: string; nowMs: number }): Promise<boolean>;
  /** The latest seen first. */
  listSessions(userId: string): Promise<Session[]>;
  endSession(userId: string, id: string): Promise<boolean>;
  /** Resolves with how many. */
  endSessions(userId: string, exceptId?: string): Promise<number>;

  createLink(link: NewLink): Promise<void>;
  /** Makes every other set-up link useless; false where there is an operator already. */
  replaceSetupLink(link: NewLink): Promise<boolean>;
  findLink(digest: string): Promise<Link | undefined>;
  /** Makes the user, or sets the password, all of it or nothing; the link is used then. */
  useLink(use: {
    digest: string;
    userId: string;
    /** Of a set-up. */
    email?: string | undefined;
    name?: string | undefined;
    password: string;
    nowMs: number;
  }): Promise<LinkOutcome>;
  /** Open ones, newest first. */
  listInvitations(filter: Page & { accountId?: string | undefined; nowMs: number }): Promise<Link[]>;
  /** `missing` where there is none that is open, of this account where one is given. */
  withdrawInvitation(
    id: string,
    which: {
      accountId?: string | undefined /** One that makes an operator stays. */;
      sparesOperators: boolean;
    },
  ): Promise<{ readonly kind: "done"; readonly link: Link } | { readonly kind: "missing" | "of_operator" }>;

  changeMember(change: { accountId: string; userId: string; role: Role }): Promise<PersonOutcome>;
  /** Keys of the account, not revoked, by the user who made them; users who made none are left out. */
  countKeysMade(accountId: string, userIds: readonly string[]): Promise<Readonly<Record<string, number>>>;
  /**
   * Removes a user for good; an operator only leaves the account. Keys it made for the account
   * stay, unless they are to be revoked.
   */
  removeMember(removal: { accountId: string; userId: string; revokesKeys: boolean }): Promise<RemovalOutcome>;
  /**
   * Whoever gains or loses something with it is signed out everywhere, and links and
   * invitations it made or got are void. The operator tokens of one who is no operator any more
   * are revoked, with those made with them.
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
   * Who an identity belongs to. One that is not known is linked to the user with its verified email address,
   * whose password and second factor no longer count then unless it is an operator's: whoever set them held a
   * link, not the address. Where there is no such user an open invitation of that address is used, and where
   * `signUp` is given, a user with an account of its own made.
   */
  findIdentity(
    identity: Identity,
    making: { userId: string; signUp?: { accountId: string } | undefined; nowMs: number },
  ): Promise<IdentityOutcome>;

  /** False where its maker is no operator any more, or a token that is revoked, expired or ends sooner. */
  createOperatorToken(token: NewOperatorToken): Promise<boolean>;
  /**
   * Who made this token, or the one it was made with, and so on: the first that is no
   * token of the store's, or the id itself.
   */
  findFirstMaker(id: string): Promise<string>;
  /** Writes down another maker of all tokens and links that one made. */
  bindMadeBy(maker: string, newMaker: string): Promise<void>;
  /** In any state. */
  findOperatorToken(digest: string): Promise<OperatorToken | undefined>;
  touchOperatorToken(id: string, nowMs: number): Promise<void>;
  /** Newest first. */
  listOperatorTokens(page: Page): Promise<OperatorToken[]>;
  /** With it end the tokens made with it, and with those, and links made with any of them. */
  revokeOperatorToken(id: string, nowMs: number): Promise<OperatorToken | undefined>;

  /**
   * Counts an attempt as failed before it is made, so that no two concurrent ones slip through;
   * nothing is counted when it is refused.
   */
  beginAttempt(subjects: readonly AttemptSubject[], nowMs: number): Promise<AttemptStart>;
  /** Takes an attempt back that did not fail, nor clear anything. */
  undoAttempt(counted: readonly CountedAttempt[]): Promise<void>;
  /** Forgets every failure. */
  clearAttempts(subjects: readonly string[]): Promise<void>;

  /** Resolves with the entry's id. */
  beginAudit(entry: NewAuditEntry): Promise<number>;
  endAudit(id: number, end: AuditEnd): Promise<void>;
  /** Forgets an entry that was begun: nothing was done. */
  dropAudit(id: number): Promise<void>;
}

/** Every method of `PeopleStore`; they are handed to the storage thread as they are (`create-store.ts`). */
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
