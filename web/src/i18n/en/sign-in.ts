/** Words of signing in. */
import { defineWords } from "../words.ts";
import { signInChinese } from "../zh/sign-in.ts";

export const signInWords = defineWords("sign-in", {
  en: {
    title: "Sign in",
    email: "Email address",
    password: "Password",
    code: "Code",
    codeHint: "Six digits from your authenticator app, or a recovery code.",
    codeTitle: "Enter your code",
    act: "Sign in",
    goOn: "Continue",
    otherUser: "Use another email address",
    withProvider: "Sign in with {{name}}",
    or: "or",
    failed: "The email address, the password or the code is wrong.",
    failedCode: "The code is wrong or was used already.",
    waitFor: "Too many attempts. You can try again in {{wait}}.",
    oidcFailed:
      "Signing in through {{name}} did not work. Nothing was changed; try again, or use your password.",
    needsSetup:
      "This installation has no operator yet. Open the one-time link that the server printed when it started.",
    browseModels: "Look at the models without signing in",
    providerFallback: "the identity provider",
  },
  zh: signInChinese,
});
