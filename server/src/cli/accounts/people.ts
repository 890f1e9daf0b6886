/**
 * `plaza setup-link` and `plaza user`: access to the console for the person who runs the machine. They create
 * one-time links; passwords are set in the browser.
 */

import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { createLink, ensureSetupLink, type LinkMaking, linkAddress } from "../../control/auth/links.ts";
import { createIdFactory } from "../../lib/id.ts";
import { consoleSite } from "../../start/banner.ts";
import type { PeopleStore } from "../../store/people/people.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { formatTable, shortTime, writeJson } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { addStoreSettings, withStore } from "../with-store.ts";

interface Options {
  readonly json?: boolean;
}

/** Maximum number of users listed. */
const listMax = 1_000;

const makingOf = (io: CommandIo, store: PeopleStore): LinkMaking => ({
  store,
  clock: io.clock,
  randomBytes,
  newId: createIdFactory(io.clock),
});

/** Returns the console's URL according to the settings. */
function siteOf(io: CommandIo, options: object): string {
  const config = readSettings(io, options, ["dataDir", "database"]);
  const console = config.consoleListen?.port ?? config.port;
  return consoleSite(config, { endpoint: config.port, console });
}

/** Records the command in the audit log. */
async function record(
  io: CommandIo,
  store: PeopleStore,
  action: string,
  subject: string | null,
): Promise<void> {
  await store.beginAudit({
    at: io.clock.wallMs(),
    actorKind: "cli",
    actorId: null,
    actorName: "command line",
    accountId: null,
    action,
    subject,
    detail: null,
    ip: null,
    requestId: null,
    outcome: "done",
  });
}

async function setupLink(io: CommandIo, options: Options): Promise<void> {
  const token = await withStore(io, options, async (store) => {
    const made = await ensureSetupLink(makingOf(io, store));
    if (made !== undefined) {
      await record(io, store, "setup-link", null);
      return made;
    }
    const emails = (await store.listOperators()).map(({ email }) => email);
    throw new CommandFailure(
      "already_set_up",
      `an operator already exists (${emails.join(", ")}); to reset a sign-in, run: npx plaza user reset EMAIL`,
    );
  });
  const url = linkAddress(siteOf(io, options), token);
  if (options.json === true) writeJson(io, { url, token });
  else
    io.out(
      `Open this link within a day to set up the console. It works once and replaces earlier links:\n\n  ${url}\n`,
    );
}

async function reset(io: CommandIo, email: string, options: Options): Promise<void> {
  const link = await withStore(io, options, async (store) => {
    const folded = email.trim().normalize("NFC").toLowerCase();
    const user = (await store.findUserSecrets({ email: folded }))?.user;
    if (user === undefined)
      throw new CommandFailure("not_found", `user ${email} not found; see: npx plaza user list`);
    if (user.status !== "active")
      throw new CommandFailure("user_disabled", `${user.email} is disabled; an operator can enable it`);
    const made = await createLink(makingOf(io, store), "reset", {
      userId: user.id,
      isOperator: user.isOperator,
    });
    await record(io, store, "user reset", user.id);
    return { userId: user.id, ...made };
  });
  const url = linkAddress(siteOf(io, options), link.token);
  const expiresAt = new Date(link.expiresAt).toISOString();
  if (options.json === true) writeJson(io, { userId: link.userId, url, token: link.token, expiresAt });
  else
    io.out(
      `Open this link before ${expiresAt} to set a new password. It works once, turns off two-factor and ends all sessions:\n\n  ${url}\n`,
    );
}

async function list(io: CommandIo, options: Options): Promise<void> {
  const users = await withStore(io, options, (store) => store.listUsers({ limit: listMax }));
  if (options.json === true) {
    writeJson(
      io,
      users.map(({ id, email, name, isOperator, status, account, hasTwoFactor }) => ({
        id,
        email,
        name,
        isOperator,
        status,
        account: account === null ? null : { id: account.id, role: account.role },
        hasTwoFactor,
      })),
    );
    return;
  }
  if (users.length === 0) {
    io.out("No users yet. Set up the console:  npx plaza setup-link\n");
    return;
  }
  const rows = users.map(({ email, name, isOperator, status, account, seenAt }) => [
    email,
    name,
    isOperator ? "operator" : "",
    account === null ? "" : `${account.role} of ${account.id}`,
    status,
    seenAt === null ? "never" : shortTime(seenAt),
  ]);
  io.out(formatTable(["email", "name", "operator", "account", "status", "seen (UTC)"], rows));
}

const setupMore = `
A server that starts without an operator prints such a link by itself.

Examples:
  $ npx plaza setup-link
`;

const resetMore = `
For a user who can no longer sign in; operators included. Anyone who opens the link can sign in as that user: send it securely.

Examples:
  $ npx plaza user reset ana@example.com
`;

export function addPeople(program: Command, io: CommandIo): void {
  const json = "print JSON";
  const setup = program
    .command("setup-link")
    .description("Create the one-time setup link of the console, if no operator exists yet.")
    .option("--json", json)
    .addHelpText("after", setupMore);
  addStoreSettings(setup).action((options: Options) => setupLink(io, options));
  const user = program.command("user").description("List the console's users, reset a password.");
  const resetCommand = user
    .command("reset")
    .description("Create a one-time link to reset a user's password.")
    .argument("<email>", "email address of the user")
    .option("--json", json)
    .addHelpText("after", resetMore);
  addStoreSettings(resetCommand).action((email: string, options: Options) => reset(io, email, options));
  const listCommand = user.command("list").description("List users, newest first.").option("--json", json);
  addStoreSettings(listCommand).action((options: Options) => list(io, options));
}
