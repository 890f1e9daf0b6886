/** Words of signing in. */
import { defineMessages } from "../messages.ts";

export const signInMessages = defineMessages("sign-in", {
  title: "Sign in",
  email: "Email address",
  password: "Password",
  code: "Code",
  codeHint: "Enter the six digits from your authenticator app, or a recovery code.",
  codeTitle: "Enter your code",
  act: "Sign in",
  goOn: "Continue",
  otherUser: "Use another email address",
  withProvider: "Sign in with {{name}}",
  or: "or",
  failed: "Incorrect email address, password or code.",
  failedCode: "The code is incorrect or already used.",
  waitFor: "Too many attempts. Try again in {{wait}}.",
  oidcFailed: "Could not sign in with {{name}}. Nothing was changed. Try again, or use your password.",
  needsSetup:
    "This installation has no operator yet. Open the one-time link that the server printed at startup.",
  browseModels: "Browse models without signing in",
  providerFallback: "the identity provider",
});
