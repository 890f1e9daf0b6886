/** Members, users, invitations and operator tokens. */

export const peopleTexts = {
  "people.userUnknown": "User not found.",
  "people.lastOwner": "This is the account's last owner. Make another member an owner first.",
  "people.lastOperator": "This is the last operator. Make another user an operator first.",
  "people.accountUnknown": "The account does not exist or is closed.",
  "people.operatorScopeLacking": "Managing operators also requires the scope installation:write.",
  "people.emailTaken": "A user with this email address already exists.",
  "people.invitationOfOperator": "Only an operator can withdraw an operator's invitation.",
  "people.invitationUnknown": "Invitation not found.",
  "people.invitationsTooMany": "{max} invitations are open. Withdraw some of them first.",
  "people.ownRights": "You can't change your own status or role. Ask another operator.",
  "people.userDisabled": "The user is disabled. Enable the user first.",
  "people.scopesLacking": "A token can only grant scopes that it has. Missing: {scopes}.",
  "people.tokenTooLong": "A token cannot create one that expires later than itself ({until}).",
  "people.timePast": "Enter a time in the future.",
  "people.callerEnded": "Your session or token has just ended. Sign in again.",
  "people.tokenUnknown": "Token not found.",
} as const;
