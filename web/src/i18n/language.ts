/** The language of the page: which one it is, loading its texts, changing it. Knows no page. */
import { type Language, type LanguageTexts, languageOf, loaderOf, localeOf } from "./languages.ts";
import { show, useShown } from "./messages.ts";
import { takeServerTexts } from "./server-text.ts";

const loading = new Map<Language, Promise<LanguageTexts | undefined>>();

/**
 * Loads the texts of a language, once. Never fails: without them (undefined) the page is in English, and the
 * next call tries again.
 */
function loadLanguage(language: Language): Promise<LanguageTexts | undefined> {
  const load = loaderOf(language);
  if (load === undefined) return Promise.resolve({ console: {} });
  let loaded = loading.get(language);
  if (loaded === undefined) {
    loaded = load().then(
      (texts) => {
        if (texts.server !== undefined) takeServerTexts(language, texts.server);
        return texts;
      },
      () => {
        loading.delete(language);
        return undefined;
      },
    );
    loading.set(language, loaded);
  }
  return loaded;
}

/** The last language asked for: a slower load of another one changes nothing. */
let wanted: Language = "en";

async function change(language: Language): Promise<void> {
  wanted = language;
  const texts = await loadLanguage(language);
  if (wanted !== language || texts === undefined) return;
  document.documentElement.lang = localeOf(language);
  show({ locale: localeOf(language), texts: texts.console });
}

/** Takes the language that `theme.js` chose; resolves when its texts are there. */
export function startLanguage(): Promise<void> {
  const chosen = languageOf(document.documentElement.lang);
  document.documentElement.lang = localeOf("en");
  return change(chosen);
}

/** The language of the page. */
export function useLanguage(): Language {
  return languageOf(useShown().locale);
}

/** Changes the language of the page and remembers it on this device. */
export function setLanguage(language: Language): void {
  try {
    localStorage.setItem("plaza.language", language);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
  void change(language);
}
