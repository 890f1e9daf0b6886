/** Users, sessions, links, operator tokens and failed attempts: the SQL of `people.ts`, put together of its parts. */
import type { MethodsOptions } from "./methods-options.ts";
import type { PeopleStore } from "./people.ts";
import { createAttemptMethods, createAuditMethods } from "./people-attempts.ts";
import { createChangeOfPeopleMethods } from "./people-changes.ts";
import { createLinkMethods, hasOperator } from "./people-links.ts";
import { createSessionMethods, createTokenMethods } from "./people-sessions.ts";
import { createUserMethods } from "./people-users.ts";

function createInstallationMethods({ db }: MethodsOptions): Pick<PeopleStore, "readInstallation"> {
  return {
    async readInstallation() {
      const settings = await db
        .selectFrom("installation_settings")
        .select(["name", "value"])
        .where("name", "in", ["name", "plazaIsPublic"])
        .execute();
      const settingOf = (name: string): unknown => {
        const row = settings.find((one) => one.name === name);
        return row === undefined ? undefined : JSON.parse(row.value);
      };
      const [name, plazaIsPublic] = [settingOf("name"), settingOf("plazaIsPublic")];
      const real = await db
        .selectFrom("upstreams")
        .select("id")
        .where("provider", "<>", "demo")
        .limit(1)
        .executeTakeFirst();
      return {
        name: typeof name === "string" ? name : null,
        plazaIsPublic: typeof plazaIsPublic === "boolean" ? plazaIsPublic : null,
        hasOperator: await hasOperator(db),
        isDemoOnly: real === undefined,
      };
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
