/** Shows what another user saved while a form was open; loaded when there is a conflict. Knows no page. */
import { type ReactNode, useEffect, useRef } from "react";
import { operatorPartsMessages } from "../i18n/en/pages/operator-parts.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/surfaces.tsx";
import type { Clash } from "./merge-edits.ts";

export interface ConflictNoteBodyProps {
  readonly clashes: readonly Clash[];
  readonly onTakeTheirs: () => void;
  /** What the page calls a field. */
  readonly nameOf: (field: string) => string;
  /** Renders a value when plain text is not enough. */
  readonly write?: (field: string, value: unknown) => ReactNode;
}

const shownCharactersMax = 400;

function plain(value: unknown, none: string): string {
  if (value === null || value === undefined || value === "") return none;
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return value.length === 0 ? none : value.join(", ");
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
}

/** See the file's comment. */
export function ConflictNoteBody({ clashes, onTakeTheirs, nameOf, write }: ConflictNoteBodyProps) {
  const t = useMessages(operatorPartsMessages);
  const place = useRef<HTMLDivElement>(null);
  // The button that was pressed may be far below.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each conflict.
  useEffect(() => {
    place.current?.scrollIntoView({ block: "center" });
    place.current?.focus({ preventScroll: true });
  }, [clashes]);
  const show = (field: string, value: unknown) => write?.(field, value) ?? plain(value, t("none"));
  return (
    <div ref={place} tabIndex={-1} role="alert" className="outline-none">
      <Notice
        tone="warn"
        title={t("conflictTitle")}
        action={
          clashes.some(({ mine }) => mine !== undefined) && (
            <Button size="small" onClick={onTakeTheirs}>
              {t("takeTheirs")}
            </Button>
          )
        }
      >
        <p>{t("conflictText")}</p>
        <dl className="mt-2 grid gap-x-6 gap-y-1 text-ink sm:grid-cols-[max-content_1fr]">
          {clashes.map((clash) => (
            <div key={clash.field} className="contents">
              <dt className="font-medium">{nameOf(clash.field)}</dt>
              <dd className="min-w-0">
                <span className="text-muted">{t("conflictThere")}: </span>
                {show(clash.field, clash.theirs)}
                {clash.mine !== undefined && (
                  <span className="block">
                    <span className="text-muted">{t("conflictYours")}: </span>
                    {show(clash.field, clash.mine)}
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </Notice>
    </div>
  );
}
