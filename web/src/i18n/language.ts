/** The language of the page: which one it is, loading its texts, changing it. Knows no page. */
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { type Language, languageOf, loaderOf, localeOf } from "./languages.ts";
import { takeServerTexts } from "./server-text.ts";

const loading = new Map<Language, Promise<void>>();

/**
 * Loads the texts of a language, once. Never fails: without them the page is in English, and the next call
 * tries again.
 */
function loadLanguage(language: Language): Promise<void> {
  const load = loaderOf(language);
  if (load === undefined) return Promise.resolve();
  let loaded = loading.get(language);
  if (loaded === undefined) {
    loaded = load().then(
      (texts) => {
        for (const [area, own] of Object.entries(texts.console)) {
          i18next.addResourceBundle(language, area, own);
        }
        if (texts.server !== undefined) takeServerTexts(language, texts.server);
      },
      () => {
        loading.delete(language);
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
  document.documentElement.lang = localeOf(language);
  await loadLanguage(language);
  if (wanted === language && i18next.language !== language) await i18next.changeLanguage(language);
}

/** Takes the language that `theme.js` chose; resolves when its texts are there. */
export function startLanguage(): Promise<void> {
  return change(languageOf(document.documentElement.lang));
}

/** The language of the page. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return languageOf(i18n.language);
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
