/** Faults of a form that its schema finds, in Chinese. */

export const formTexts = {
  "form.passwordMissing": "请填写密码。",
  "form.atField": "{path}：{fault}",
  "form.sentence": "{text^}",
} as const;
