/** The question before unsaved changes are left; loads when it is first asked. */
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { uiWords } from "../words/ui.ts";
import { useWords } from "../words/words.ts";

export interface LeaveQuestionProps {
  readonly onLeave: () => void;
  readonly onStay: () => void;
}

/** See `LeaveQuestionProps`. */
export function LeaveQuestion({ onLeave, onStay }: LeaveQuestionProps) {
  const say = useWords(uiWords);
  return (
    <Dialog
      open
      onClose={onStay}
      title={say("unsavedTitle")}
      foot={
        <>
          <Button onClick={onLeave}>{say("leave")}</Button>
          <Button look="primary" onClick={onStay}>
            {say("stay")}
          </Button>
        </>
      }
    >
      <p className="text-muted">{say("unsavedText")}</p>
    </Dialog>
  );
}
