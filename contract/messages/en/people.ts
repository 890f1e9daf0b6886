/** Members, users, invitations and operator tokens. */

export const peopleTexts = {
  "people.userUnknown": "There is no such user.",
  "people.lastOwner": "This is the account's last owner. Make somebody else an owner first.",
  "people.lastOperator": "This is the last operator. Make somebody else an operator first.",
  "people.accountUnknown": "There is no such account, or it is closed.",
  "people.operatorScopeLacking": "Concerning operators the token needs the scope installation:write, too.",
  "people.emailTaken": "There is a user with this email address already.",
  "people.invitationOfOperator": "Only an operator may withdraw an operator's invitation.",
  "people.invitationUnknown": "There is no such invitation.",
  "people.invitationsTooMany": "{max} invitations are open; withdraw some of them first.",
  "people.ownRights": "Ask another operator: nobody changes their own status or rights.",
  "people.userDisabled": "The user is disabled; make it active first.",
  "people.scopesLacking": "A token cannot give what it does not have: {scopes}.",
  "people.tokenTooLong": "A token cannot make one that outlives it: it expires on {until}.",
  "people.timePast": "Give a time that is still to come.",
  "people.callerEnded": "What this was asked with has just ended.",
  "people.tokenUnknown": "There is no such token.",
} as const;
