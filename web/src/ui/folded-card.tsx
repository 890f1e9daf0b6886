/**
 * A card of a long form that phones fold: they show its title and one line about what is in it. Its fields
 * stay in the document, so that an error in one of them opens it. Knows no page.
 */
import { ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { useIsPhone } from "./phone.ts";
import { Card } from "./surfaces.tsx";

export interface FoldedCardProps {
  readonly title: string;
  /** What is in it, in one line; shown while it is folded. */
  readonly summary: string;
  /** Open at first. */
  readonly isOpenAtFirst?: boolean;
  /** A field in it is at fault. When that comes about it opens, and it can be folded again. */
  readonly isFaulty: boolean;
  readonly children: ReactNode;
}

/** See the file's comment. */
export function FoldedCard(props: FoldedCardProps) {
  const { title, isOpenAtFirst = false, isFaulty, children } = props;
  const isPhone = useIsPhone();
  const t = useMessages(uiMessages);
  const [isOpen, setOpen] = useState(isOpenAtFirst || isFaulty);
  const [wasFaulty, setWasFaulty] = useState(isFaulty);
  if (isFaulty !== wasFaulty) {
    setWasFaulty(isFaulty);
    if (isFaulty) setOpen(true);
  }
  if (!isPhone) return <Card title={title}>{children}</Card>;
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group min-w-0 rounded-xl border border-line bg-surface shadow-card"
    >
      <summary className="flex list-none items-center gap-3 rounded-xl px-4 py-3 [&::-webkit-details-marker]:hidden">
        <span className="min-w-0 flex-1">
          <h2 className="text-lead font-semibold">{title}</h2>
          {!isOpen && (
            <span dir="auto" className={`block truncate text-small ${isFaulty ? "text-bad" : "text-muted"}`}>
              {isFaulty ? t("hasErrors") : props.summary}
            </span>
          )}
        </span>
        <ChevronDown aria-hidden className="size-5 shrink-0 text-faint group-open:rotate-180" />
      </summary>
      <div className="px-4 pb-4">
        <ErrorBoundary>{children}</ErrorBoundary>
      </div>
    </details>
  );
}
