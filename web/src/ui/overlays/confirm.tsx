/** One question before an act, for a component that has several acts to ask about. Knows no page. */
import { type ReactNode, useCallback, useState } from "react";
import { ConfirmDialog, type ConfirmDialogProps } from "./dialog.tsx";

/** What is asked, and what is done. */
export interface Question extends Pick<ConfirmDialogProps, "title" | "act" | "danger" | "onAct"> {
  /** What will happen. */
  readonly text: ReactNode;
}

export interface Confirm {
  /** Asks; the same function at every drawing. */
  readonly ask: (question: Question) => void;
  /** To be put on the page, once. */
  readonly question: ReactNode;
}

/** `const { ask, question } = useConfirm()`; `ask({ title, text, act, danger: true, onAct })`. */
export function useConfirm(): Confirm {
  const [asked, setAsked] = useState<Question>();
  const [isOpen, setOpen] = useState(false);
  const ask = useCallback((next: Question) => {
    setAsked(next);
    setOpen(true);
  }, []);
  // What was asked stays while the dialog fades out.
  const question = asked !== undefined && (
    <ConfirmDialog {...asked} open={isOpen} onClose={() => setOpen(false)}>
      <p>{asked.text}</p>
    </ConfirmDialog>
  );
  return { ask, question };
}
