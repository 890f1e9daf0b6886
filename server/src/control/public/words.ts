/** The texts of pages without sign-in, in the language a browser asks for first. Pure. */
import { publicPageTexts as english } from "@plaza/contract/messages/public-page/en.ts";
import { publicPageTexts as japanese } from "@plaza/contract/messages/public-page/ja.ts";
import { publicPageTexts as chinese } from "@plaza/contract/messages/public-page/zh.ts";
import { type Language, render } from "@plaza/contract/messages/render.ts";
import type { Params } from "@plaza/contract/messages/shape.ts";

export type PageLanguage = "en" | "zh" | "ja";

const languages: Readonly<Record<PageLanguage, Language>> = {
  en: { texts: english, stop: ".", isSpaced: false },
  zh: { texts: chinese, stop: "。", isSpaced: true },
  ja: { texts: japanese, stop: "。", isSpaced: true },
};

export type Words = (id: keyof typeof english, params?: Params) => string;

export const wordsIn =
  (language: PageLanguage): Words =>
  (id, params) =>
    render(languages[language], { id, params }) ?? id;

/** Of an Accept-Language header: the first of our languages that it names; English otherwise. */
export function languageOf(header: string | undefined): PageLanguage {
  const named = (header ?? "")
    .slice(0, 1_000)
    .toLowerCase()
    .matchAll(/(?:^|,)\s*(en|zh|ja)\b/g);
  return (named.next().value?.[1] as PageLanguage | undefined) ?? "en";
}
