/** The stage of P24: a console with two accounts with data, and new users of any role on demand. */
import { DatabaseSync } from "node:sqlite";
import type { TokenScope } from "@plaza/contract/api/index.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { generate } from "otplib";
import { requestRow } from "../../../server/src/store/testing/behaviour/requests.ts";
import {
  type ConsoleRig,
  type Sender,
  type SignedInSender,
  startConsole,
} from "../../behaviour/harness/console-rig.ts";

/** A signed-in user with access to a sample's subject. */
export interface Person extends SignedInSender {
  /** undefined: an operator without an account. */
  readonly accountId: string | undefined;
}

export type Role = "member" | "owner" | "stranger" | "operator";

export interface Stage {
  readonly rig: ConsoleRig;
  /** A unique word. */
  unique(): string;
  /** The initial user of a role; a stranger is an owner of account B. */
  person(role: Role): Person;
  /** A new user of this role. */
  newPerson(role: Role): Promise<Person>;
  /** An operator token with these scopes, the same one each time. */
  token(scopes: readonly TokenScope[]): Promise<Sender>;
  /** Calls as the operator; throws on failure. */
  operate<Body = object>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Creates a charged request of the account. */
  newRequest(accountId: string): Promise<string>;
  /** Turns two-factor on; returns recovery codes. */
  turnOnTwoFactor(person: Person): Promise<readonly string[]>;
  /** A code for a two-factor setup in progress. */
  codeOf(secret: string): Promise<string>;
  /** All stored data as text, except what reads themselves change. */
  dump(): string;
}

/** Tables of last-use times, and the audit log. */
const unwatchedTables: ReadonlySet<string> = new Set(["audit_entries", "failed_attempts", "sqlite_sequence"]);
const unwatchedColumns: ReadonlySet<string> = new Set(["seen_at", "used_at", "ip", "user_agent"]);

function dumpOf(db: DatabaseSync): string {
  const tables = db.prepare("select name from sqlite_master where type = 'table' order by name").all();
  const lines = tables
    .map(({ name }) => String(name))
    .filter((name) => !unwatchedTables.has(name))
    .flatMap((name) => {
      const query = db.prepare(`select * from "${name}"`);
      query.setReadBigInts(true);
      const rows = query.all().map((row) =>
        JSON.stringify(
          Object.entries(row)
            .filter(([column]) => !unwatchedColumns.has(column) || name === "links")
            .map(([column, value]) => `${column}=${value}`),
        ),
      );
      return [name, ...rows.sort()];
    });
  return lines.join("\n");
}

/** Returns the previous text if the database was not written since. */
function createDump(db: DatabaseSync): () => string {
  let last: { version: unknown; text: string } | undefined;
  return () => {
    const version = db.prepare("pragma data_version").get()?.["data_version"];
    if (last?.version !== version) last = { version, text: dumpOf(db) };
    return last?.text ?? "";
  };
}

export async function setStage(test: { after(done: () => Promise<void>): void }): Promise<Stage> {
  const rig = await startConsole(test as Parameters<typeof startConsole>[0]);
  const db = new DatabaseSync(rig.file, { readOnly: true });
  test.after(async () => db.close());
  let count = 0;
  const unique = (): string => {
    count += 1;
    // Ends in a letter, so that no word is a prefix of another.
    return `sample${count}x`;
  };
  const operator = rig.as("operator");
  const accountOf = (role: Role): string | undefined => {
    if (role === "operator") return undefined;
    return role === "stranger" ? rig.accountB : rig.accountA;
  };
  const tokens = new Map<string, Promise<Sender>>();
  const stage: Stage = {
    rig,
    unique,
    person: (role) => ({ ...rig.as(role), accountId: accountOf(role) }),
    async newPerson(role) {
      const accountId = accountOf(role);
      const email = `${unique()}@${role}.test`;
      const person = await rig.newUser({
        email,
        isOperator: role === "operator",
        ...(accountId === undefined ? {} : { accountId, role: role === "member" ? "member" : "owner" }),
      });
      return { ...person, accountId };
    },
    token(scopes) {
      const name = scopes.join(" ");
      const made = tokens.get(name) ?? rig.withToken(...scopes);
      tokens.set(name, made);
      return made;
    },
    async operate(method, path, body) {
      const { status, body: answer } = await operator.call(method, path, body);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
      return answer;
    },
    async newRequest(accountId) {
      const id = `req_${unique()}`;
      const [charge, createdAt] = [nanoUsd(1_000n), rig.clock.wallMs()];
      await rig.store.recordRequest(requestRow(1, { id, accountId, charge, createdAt, modelId: "demo" }));
      return id;
    },
    async turnOnTwoFactor(person) {
      const begun = await person.call("POST", "/profile/two-factor", { password: rig.password });
      const code = await stage.codeOf(begun.body.secret);
      const { body } = await person.call("POST", "/profile/two-factor/confirm", { code });
      return body.recoveryCodes;
    },
    codeOf: (secret) => generate({ secret, epoch: Math.floor(rig.clock.wallMs() / 1_000) }),
    dump: createDump(db),
  };
  const settings = await stage.operate("GET", "/operator/settings");
  await stage.operate("PUT", "/operator/settings", { ...settings, plazaIsPublic: true });
  return stage;
}
