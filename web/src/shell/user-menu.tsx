/** Profile, language, theme, signing out. */
import { ChevronsUpDown, LogOut, UserRound } from "lucide-react";
import { call } from "../api/call.ts";
import { shellMessages } from "../i18n/en/shell.ts";
import { useMessages } from "../i18n/messages.ts";
import { Menu } from "../ui/overlays/menu.tsx";
import { useLookEntries } from "./look-entries.ts";
import { signOut, useSession } from "./session.ts";

function firstLetter(name: string): string {
  return ([...name.trim()][0] ?? "?").toUpperCase();
}

/** `compact` shows the letter only. */
export function UserMenu({ compact = false }: { readonly compact?: boolean }) {
  const t = useMessages(shellMessages);
  const { user } = useSession();
  // The choice applies here immediately; saving it in the profile for other devices may fail quietly.
  const look = useLookEntries((body) => void call("patch /profile", { body }).catch(() => undefined));
  if (user === null) return null;
  const name = user.name === "" ? user.email : user.name;
  return (
    <Menu
      side="top"
      align={compact ? "end" : "start"}
      trigger={
        <button
          type="button"
          className="flex w-full min-w-0 items-center gap-2.5 rounded-lg p-1.5 text-left hover:bg-hover max-lg:w-auto"
        >
          <span
            aria-hidden
            className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent-ink"
          >
            {/* Drawn, not written: it is no part of the name that is read aloud. */}
            <span data-letter={firstLetter(name)} className="before:content-[attr(data-letter)]" />
          </span>
          <span className="sr-only">{compact ? `${name}, ${t("userMenu")}` : t("userMenu")}</span>
          {!compact && (
            <>
              <span className="min-w-0 flex-1 leading-tight">
                <span className="block truncate font-medium">{name}</span>
                <span className="block truncate text-tiny text-faint">{user.email}</span>
              </span>
              <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-faint" />
            </>
          )}
        </button>
      }
      entries={[
        { label: t("profile"), icon: <UserRound aria-hidden />, to: "/profile" },
        "line",
        ...look,
        "line",
        { label: t("signOut"), icon: <LogOut aria-hidden />, onPick: () => void signOut() },
      ]}
    />
  );
}
