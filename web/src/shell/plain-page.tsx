/** A page without the menu: one card in the middle, for visitors who are not signed in. */
import type { ReactNode } from "react";
import { shellMessages } from "../i18n/en/shell.ts";
import { setLanguage, useLanguage } from "../i18n/language.ts";
import { languageChoices } from "../i18n/languages.ts";
import { useMessages } from "../i18n/messages.ts";
import { useDocumentTitle } from "../ui/document-title.ts";
import { RadioGroup } from "../ui/inputs/choices.tsx";

export interface PlainProps {
  /** The document's title. */
  readonly title: string;
  /** The page's heading, if different. */
  readonly heading?: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  /** For more than a form. */
  readonly wide?: boolean;
}

/** See `PlainProps`. */
export function Plain({ title, heading, lead, children, wide = false }: PlainProps) {
  const t = useMessages(shellMessages);
  const language = useLanguage();
  useDocumentTitle(title);
  return (
    <main
      id="main"
      tabIndex={-1}
      className="flex min-h-dvh flex-col items-center justify-center px-4 py-8 outline-none"
    >
      <div className={wide ? "w-full min-w-0 max-w-3xl" : "w-full min-w-0 max-w-sm"}>
        <header className="mb-6 flex flex-col items-center gap-3 text-center">
          <img src="/favicon.svg" alt="" className="size-11" />
          <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
            {heading ?? title}
          </h1>
          {lead !== undefined && <div className="text-muted">{lead}</div>}
        </header>
        <div className="flex flex-col gap-5 rounded-2xl border border-line bg-surface p-6 shadow-card">
          {children}
        </div>
        <div className="mt-5 flex justify-center">
          <RadioGroup
            inline
            label={t("language")}
            value={language}
            choices={languageChoices}
            onChange={setLanguage}
          />
        </div>
      </div>
    </main>
  );
}
