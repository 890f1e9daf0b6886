/** Faults of a form that its schema finds. */

export const formTexts = {
  "form.passwordMissing": "Enter your password.",
  "form.atField": "{path}: {fault}",
  "form.sentence": "{text^}",
} as const;
