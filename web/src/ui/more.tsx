/** Fields that are seldom needed: folded until opened, or until one is filled or at fault. Knows no page. */
import { type ReactNode, useState } from "react";

interface MoreProps {
  readonly summary: string;
  /** A field in it is filled. When that comes about it opens, and it can be folded again. */
  readonly isFilled: boolean;
  /** A field in it is at fault. The same. */
  readonly isFaulty: boolean;
  readonly children: ReactNode;
}

/** See the file's comment. */
export function More({ summary, isFilled, isFaulty, children }: MoreProps) {
  const [isOpen, setOpen] = useState(isFilled || isFaulty);
  const [former, setFormer] = useState({ isFilled, isFaulty });
  if (isFilled !== former.isFilled || isFaulty !== former.isFaulty) {
    setFormer({ isFilled, isFaulty });
    if ((isFilled && !former.isFilled) || (isFaulty && !former.isFaulty)) setOpen(true);
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit text-accent">{summary}</summary>
      {isOpen && <div className="mt-3">{children}</div>}
    </details>
  );
}
