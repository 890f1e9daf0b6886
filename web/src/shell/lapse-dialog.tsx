/** Signing in again over the page whose session ended: the page stays as it is, and what was asked of the server is asked again. */
import { SignInForm } from "../pages/sign-in/sign-in-form.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { shellWords } from "../words/shell.ts";
import { useWords } from "../words/words.ts";
import { signOut, useLapse, useSession } from "./session.ts";

/** Once, in the frame. */
export function LapseDialog() {
  const say = useWords(shellWords);
  const settle = useLapse();
  const { user } = useSession();
  if (settle === null) return null;
  return (
    <Dialog open mustAnswer onClose={() => settle(false)} title={say("lapsedTitle")}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">{say("lapsedText")}</p>
        <SignInForm email={user?.email ?? ""} onSignedIn={() => settle(true)} />
        <Button look="quiet" onClick={() => void signOut()}>
          {say("signOut")}
        </Button>
      </div>
    </Dialog>
  );
}
