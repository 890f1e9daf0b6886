/** Two people changed the same key: what is there now beside what was typed, and which of both to keep. */
import { useEffect, useRef } from "react";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { settingText } from "./cells.tsx";
import { differing, type KeyFormValues, type SettingName, taking } from "./form-values.ts";

export interface KeyConflictProps {
  /** What the form began with. */
  readonly base: KeyFormValues;
  /** What is there now. */
  readonly theirs: KeyFormValues;
  /** What is typed. */
  readonly mine: KeyFormValues;
  /** Continues from the current version, with these values in the form. */
  readonly onSettle: (values: KeyFormValues) => void;
}

const titles = {
  name: "name",
  expiresAt: "expiry",
  models: "models",
  limits: "limits",
  budget: "budget",
  ips: "ips",
} as const satisfies Record<SettingName, string>;

/** See `KeyConflictProps`. */
export function KeyConflict({ base, theirs, mine, onSettle }: KeyConflictProps) {
  const t = useMessages(keysMessages);
  const language = useLanguage();
  const theirChanges = differing(base, theirs);
  const both = differing(theirs, mine).filter(
    (name) => theirChanges.includes(name) && differing(base, mine).includes(name),
  );
  const onlyTheirs = theirChanges.filter((name) => !both.includes(name));
  const place = useRef<HTMLDivElement>(null);
  // The button that was pressed may be far below. Newer browsers answer scrolling with a promise,
  // which must not become the clean-up.
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div role="alert" ref={place} className="scroll-mt-20">
      <Notice tone="warn" title={t("conflictTitle")}>
        <p>{t(both.length === 0 ? "conflictSame" : "conflictText")}</p>
        <ul className="my-2 flex flex-col gap-1.5">
          {[...both, ...onlyTheirs].map((name) => (
            <li key={name}>
              <span className="font-medium">{t(titles[name])}</span>
              {" · "}
              {t("there")}: <bdi>{settingText(theirs, name, t, language)}</bdi>
              {both.includes(name) && (
                <>
                  {" · "}
                  {t("yours")}: <bdi>{settingText(mine, name, t, language)}</bdi>
                </>
              )}
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => onSettle(taking(mine, theirs, onlyTheirs))}>
            {t(both.length === 0 ? "keepBoth" : "keepMine")}
          </Button>
          {both.length > 0 && (
            <Button size="small" onClick={() => onSettle(taking(mine, theirs, theirChanges))}>
              {t("takeTheirs")}
            </Button>
          )}
        </div>
      </Notice>
    </div>
  );
}
