/** Words of the pages behind one-time links. */
import { defineWords } from "../words.ts";
import { linkChinese } from "../zh/link.ts";

export const linkWords = defineWords("link", {
  en: {
    "setup.title": "Set up this installation",
    "setup.lead":
      "You become its first operator. There is no default password: this link works once, for you.",
    "setup.act": "Create the operator",
    "invitation.title": "Join {{account}}",
    "invitation.titleOperator": "Become an operator",
    "invitation.leadOwner": "You were invited as an owner of the account.",
    "invitation.leadMember": "You were invited as a member of the account.",
    "invitation.leadOperator": "You were invited to run this installation.",
    "invitation.act": "Join",
    "reset.title": "Choose a new password",
    "reset.lead":
      "Two-factor is turned off and every other session ends. You can turn it on again under Profile.",
    "reset.act": "Set the password",
    name: "Your name",
    email: "Email address",
    emailHint: "You sign in with it. Nothing is sent to it.",
    password: "Password",
    passwordHint: "At least 10 characters.",
    step: "Step {{at}} of {{of}}",
    expires: "This link works until",
    usedTitle: "This link has been used",
    usedText: "A link works once. Sign in, or ask whoever gave it to you for a new one.",
    goneTitle: "This link does not work",
    goneText: "It may be mistyped, withdrawn, or past its time. Ask for a new one.",
    signIn: "Sign in",
  },
  zh: linkChinese,
});
