/** Words of the pages behind one-time links. */
import { defineMessages } from "../messages.ts";

export const linkMessages = defineMessages("link", {
  "setup.title": "Set up this installation",
  "setup.lead": "Create the first operator. There is no default password, and this link works once.",
  "setup.act": "Create operator",
  "invitation.title": "Join {{account}}",
  "invitation.titleOperator": "Become an operator",
  "invitation.leadOwner": "You were invited as an owner of the account.",
  "invitation.leadMember": "You were invited as a member of the account.",
  "invitation.leadOperator": "You were invited to operate this installation.",
  "invitation.act": "Join",
  "reset.title": "Choose a new password",
  "reset.lead":
    "Saving turns off two-factor authentication and ends your other sessions. You can turn it on again under Profile.",
  "reset.act": "Set password",
  name: "Your name",
  email: "Email address",
  emailHint: "You use it to sign in. Plaza sends no email.",
  password: "Password",
  passwordHint: "At least 10 characters.",
  step: "Step {{at}} of {{of}}",
  expires: "Link expires",
  usedTitle: "This link has been used",
  usedText: "Each link works once. Sign in, or ask the person who sent it for a new one.",
  goneTitle: "This link is invalid",
  goneText: "The link may be mistyped, withdrawn or expired. Ask for a new one.",
  signIn: "Sign in",
});
