/**
 * Known texts split into known tokens, so that a rig can count delivered tokens. Deterministic: token i of a
 * text is always the same.
 */

const words = [
  "The",
  " quick",
  " brown",
  " fox",
  " jumps",
  " over",
  " the",
  " lazy",
  " dog",
  ".",
  " It",
  " costs",
  ' "5"',
  " \\ ",
  "\n",
  " data:",
  " [DONE]",
];
const characters = [
  "模型",
  "广场",
  "把",
  "每一个",
  "词元",
  "都",
  "交给",
  "读者",
  "，",
  "不多",
  "也",
  "不少",
  "。",
  "余额",
  "不足",
  "\n",
];
const emoji = ["👩‍👩‍👧‍👦", "🏳️‍🌈", " ", "👍🏽", "🇨🇳", "e\u0301", "🧑‍💻", "𝒳", "☕️", "‼️"];

const alphabets = { en: words, zh: characters, emoji } as const;

export type TextKind = keyof typeof alphabets;

export function isTextKind(name: string): name is TextKind {
  return name in alphabets;
}

/** Token number `index` of a text. */
export function tokenText(kind: TextKind, index: number): string {
  const alphabet = alphabets[kind];
  return alphabet[index % alphabet.length] ?? "";
}

/** The first `count` tokens joined. */
export function tokensText(kind: TextKind, count: number): string {
  let text = "";
  for (let index = 0; index < count; index++) text += tokenText(kind, index);
  return text;
}
