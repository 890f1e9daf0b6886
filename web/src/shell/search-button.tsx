/** Opens the command palette, and says with which keys it opens, too. Knows no page. */
import { Search } from "lucide-react";
import { shellMessages } from "../i18n/en/shell.ts";
import { useMessages } from "../i18n/messages.ts";
import { IconButton } from "../ui/button.tsx";
import { Keys } from "../ui/surfaces.tsx";
import { paletteKeys } from "./palette-key.ts";

interface SearchButtonProps {
  readonly onPress: () => void;
  /** Only the icon, for the bar of phones. */
  readonly compact?: boolean;
}

/** See above. */
export function SearchButton({ onPress, compact = false }: SearchButtonProps) {
  const t = useMessages(shellMessages);
  const shared = {
    "aria-haspopup": "dialog",
    "aria-keyshortcuts": "Meta+K Control+K",
    onClick: onPress,
  } as const;
  if (compact) {
    return (
      <IconButton label={t("search")} {...shared}>
        <Search aria-hidden className="size-5" />
      </IconButton>
    );
  }
  return (
    <button
      type="button"
      {...shared}
      className="flex min-h-9 w-full items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-left text-small text-muted hover:bg-hover hover:text-ink"
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 truncate">{t("search")}</span>
      <span aria-hidden>
        <Keys keys={paletteKeys()} />
      </span>
    </button>
  );
}
