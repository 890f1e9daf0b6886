/** AWS secrets that must never be shown (docs/wire/upstream-errors.md section 5). */
import type { SecretsMaterial } from "../../testing/secrets.ts";

export const bedrockSecrets: SecretsMaterial = {
  credentials: [
    {
      credential: ({ plant }) =>
        `AKIA${plant("credential: access key id")}:${plant("credential: AWS secret")}:${plant("credential: session token")}`,
      isOnlySignedWith: true,
    },
    { credential: ({ plant }) => `ABSK${plant("credential: bedrock key")}` },
  ],
  leaks: [
    {
      name: "arn of a user",
      text: (core) => `User: arn:aws:iam::123456789012:user/${core} is not authorized`,
    },
    { name: "access key id", text: (core) => `The key AKIA${core} is inactive` },
    {
      name: "signature",
      text: (core) => `AWS4-HMAC-SHA256 Credential=AKIA${core}/20261121/us-east-1, Signature=${core}`,
    },
    { name: "bedrock key", text: (core) => `bedrock-api-key-${core} is expired` },
  ],
  shownType: "ValidationException",
};
