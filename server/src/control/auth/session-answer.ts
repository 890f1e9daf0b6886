/** The response of `GET /session` and of every route that signs a user in. */
import type { AnswerOf } from "@plaza/contract/api/route.ts";
import type { sessionRoutes } from "@plaza/contract/api/session.ts";
import { schemeOf } from "../../config/config.ts";
import type { User } from "../../store/people/people.ts";
import type { ControlContext, Origin } from "../context.ts";
import { isOidcSet } from "./oidc.ts";

export type SessionAnswer = AnswerOf<typeof sessionRoutes.getSession>;

/** The base_url for OpenAI clients, as this browser can reach it. */
function baseUrlOf({ config, endpointPort }: ControlContext, site: string): string {
  if (config.publicUrl !== undefined) return config.publicUrl;
  if (config.consoleListen === undefined) return `${site}/v1`;
  return `${schemeOf(config)}://${new URL(site).hostname}:${endpointPort()}/v1`;
}

/** The session for these pages; `signedIn` undefined: not signed in. */
export async function sessionAnswer(
  context: ControlContext,
  from: Origin,
  signedIn: { readonly user: User; readonly csrf: string } | undefined,
): Promise<SessionAnswer> {
  const { config, version } = context;
  const { hasOperator, isDemoOnly } = await context.store.readInstallation();
  const { name, plazaIsPublic } = await context.store.getSettings();
  const user = signedIn?.user;
  return {
    user: user === undefined ? null : asUser(user),
    account: user?.account ?? null,
    csrfToken: signedIn?.csrf ?? null,
    installation: {
      name,
      baseUrl: baseUrlOf(context, from.site),
      version,
      plazaIsPublic,
      needsSetup: !hasOperator,
      oidc: isOidcSet(config) ? { name: config.oidcName } : null,
      demoOnly: isDemoOnly,
    },
  };
}

const asUser = (user: User): NonNullable<SessionAnswer["user"]> => ({
  id: user.id,
  email: user.email,
  name: user.name,
  isOperator: user.isOperator,
  language: user.language,
  theme: user.theme,
  timeZone: user.timeZone,
  hasPassword: user.hasPassword,
  hasTwoFactor: user.hasTwoFactor,
});
