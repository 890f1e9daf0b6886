/** Where a form shows what another user saved while it was open. Knows no page. */
import { lazyPart } from "../ui/lazy-part.tsx";
import type { ConflictNoteBodyProps } from "./conflict-note-body.tsx";
import type { Edit } from "./use-edit.ts";

const { Part: ConflictNoteBody } = lazyPart(() =>
  import("./conflict-note-body.tsx").then((file) => file.ConflictNoteBody),
);

interface ConflictNoteProps<Values extends object> extends Pick<ConflictNoteBodyProps, "nameOf" | "write"> {
  readonly edit: Edit<Values>;
}

/** Empty without a conflict. */
export function ConflictNote<Values extends object>({ edit, ...texts }: ConflictNoteProps<Values>) {
  if (edit.clashes === null) return null;
  return <ConflictNoteBody clashes={edit.clashes} onTakeTheirs={edit.takeTheirs} {...texts} />;
}
