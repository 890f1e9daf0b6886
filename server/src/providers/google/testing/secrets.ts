/** Google's secrets that must never be shown (docs/wire/upstream-errors.md section 5). */
import { generateKeyPairSync } from "node:crypto";
import type { CredentialKind, Planter, SecretsMaterial } from "../../testing/secrets.ts";

/** A service account's key file with a new key. */
function serviceAccount({ plant, add }: Planter): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  add("private key of a service account", pem.split("\n")[8]?.slice(0, 40) ?? "");
  return JSON.stringify({
    type: "service_account",
    project_id: plant("project of a service account").toLowerCase(),
    private_key_id: plant("key id of a service account"),
    private_key: pem,
    client_email: `${plant("address of a service account").toLowerCase()}@p.iam.gserviceaccount.com`,
  });
}

/** A service account that gets its token from the mock upstream's `/token-of-{name}`. */
export const accountKind = (
  name: string,
  options: Readonly<Record<string, string>> = {},
): CredentialKind => ({
  credential: serviceAccount,
  options: (origin) => ({ ...options, tokenUri: `${origin}/token-of-${name}` }),
  exchange: {
    isAsked: (path) => path.startsWith(`/token-of-${name}`),
    token: ({ plant }) => `ya29.${plant(`token: ${name}`)}`,
  },
});

export const googleSecrets: SecretsMaterial = {
  credentials: [
    { credential: ({ plant }) => `AIza${plant("credential: google")}` },
    accountKind("google", { api: "vertex" }),
  ],
  leaks: [
    { name: "google key", text: (core) => `API key not valid: AIzaSy${core}${core}` },
    { name: "google project", text: (core) => `quota of consumer projects/123${core} used up` },
    {
      name: "google account",
      text: (core) => `permission denied for plaza-${core}@my-project.iam.gserviceaccount.com`,
    },
    { name: "google token", text: (core) => `token ya29.${core}${core} expired` },
  ],
  shownType: "INVALID_ARGUMENT",
};
