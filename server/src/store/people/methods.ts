/**
 * SQL for `people.ts`: users, sessions, links, operator tokens and failed attempts, assembled from its parts.
 */
import type { MethodsOptions } from "../sql/dialect.ts";
import { createAttemptMethods, createAuditMethods } from "./attempts.ts";
import { createChangeOfPeopleMethods } from "./changes.ts";
import { createLinkMethods, hasOperator } from "./links.ts";
import type { PeopleStore } from "./people.ts";
import { createSessionMethods, createTokenMethods } from "./sessions.ts";
import { createUserMethods } from "./users.ts";

function createInstallationMethods({ db }: MethodsOptions): Pick<PeopleStore, "readInstallation"> {
  return {
    async readInstallation() {
      const real = await db
        .selectFrom("upstreams")
        .select("id")
        .where("provider", "<>", "demo")
        .limit(1)
        .executeTakeFirst();
      return { hasOperator: await hasOperator(db), isDemoOnly: real === undefined };
    },
  };
}

export function createPeopleMethods(options: MethodsOptions): PeopleStore {
  return {
    ...createInstallationMethods(options),
    ...createUserMethods(options),
    ...createSessionMethods(options),
    ...createTokenMethods(options),
    ...createLinkMethods(options),
    ...createChangeOfPeopleMethods(options),
    ...createAttemptMethods(options),
    ...createAuditMethods(options),
  };
}
