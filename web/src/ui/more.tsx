/**
 * Fields that are seldom needed: folded until opened, or as soon as something in
 * them wants to be seen. Knows no page.
 */
import { type ReactNode, useState } from "react";

interface MoreProps {
  readonly summary: string;
  /** Something in it is filled or at fault. When that comes about it opens, and it can be folded again. */
  readonly wanted: boolean;
  readonly children: ReactNode;
}

/** See the file's comment. */
export function More({ summary, wanted, children }: MoreProps) {
  const [isOpen, setOpen] = useState(wanted);
  const [wasWanted, setWasWanted] = useState(wanted);
  if (wanted !== wasWanted) {
    setWasWanted(wanted);
    if (wanted) setOpen(true);
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit text-accent">{summary}</summary>
      {isOpen && <div className="mt-3">{children}</div>}
    </details>
  );
}
