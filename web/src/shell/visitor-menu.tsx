/** The menu of visitors: sign in, language and theme. */

import { Settings2 } from "lucide-react";
import { shellMessages } from "../i18n/en/shell.ts";
import { useMessages } from "../i18n/messages.ts";
import { IconButton, Link } from "../ui/button.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { useLookEntries } from "./look-entries.ts";
import { pageTo } from "./page-search.ts";

/** `compact` for the bar of phones. */
export function VisitorMenu({ compact = false }: { readonly compact?: boolean }) {
  const t = useMessages(shellMessages);
  const entries = useLookEntries(() => undefined);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {!compact && (
        <Link to={pageTo("/sign-in", { back: "/keys" })} className="w-full">
          {t("getKey")}
        </Link>
      )}
      <Link
        to={pageTo("/sign-in", { back: location.pathname + location.search })}
        variant="primary"
        size={compact ? "small" : "normal"}
        className="flex-1"
      >
        {t("signIn")}
      </Link>
      <Menu
        side={compact ? "bottom" : "top"}
        trigger={
          <IconButton label={`${t("language")}, ${t("theme")}`} size={compact ? "small" : "normal"}>
            <Settings2 aria-hidden className="size-4" />
          </IconButton>
        }
        entries={entries}
      />
    </div>
  );
}
