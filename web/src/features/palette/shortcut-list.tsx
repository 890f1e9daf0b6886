/** Every keyboard shortcut of this session, in a dialog. */
import type { ReactNode } from "react";
import { paletteMessages } from "../../i18n/en/palette.ts";
import { shellMessages } from "../../i18n/en/shell.ts";
import { useMessages } from "../../i18n/messages.ts";
import { navGroups } from "../../shell/menu-entries.ts";
import { paletteKeys } from "../../shell/palette-key.ts";
import { useSession } from "../../shell/session.ts";
import { useShortcutsOn } from "../../shell/shortcuts.ts";
import { Link } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Keys, Notice } from "../../ui/surfaces.tsx";

interface ShortcutListProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** See above. */
export function ShortcutList({ open, onClose }: ShortcutListProps) {
  const t = useMessages(paletteMessages);
  const tShell = useMessages(shellMessages);
  const session = useSession();
  const isOn = useShortcutsOn();
  const pages = navGroups(session).flatMap(({ entries }) => entries);
  return (
    <Dialog open={open} onClose={onClose} title={t("shortcutsTitle")} wide>
      {isOn ? (
        <p className="text-muted">{t("shortcutsText")}</p>
      ) : (
        <Notice
          tone="warn"
          action={
            <Link to="/profile" variant="plain" size="small">
              {t("toProfile")}
            </Link>
          }
        >
          {t("shortcutsOff")}
        </Notice>
      )}
      <div className="flex flex-col gap-5">
        <Section title={t("general")}>
          <Shortcut keys={paletteKeys()} name={t("keyPalette")} />
          <Shortcut keys="/" name={t("keySearch")} />
          <Shortcut keys="n" name={t("keyNew")} />
          <Shortcut keys="?" name={t("keyHelp")} />
        </Section>
        <Section title={t("goTo")}>
          {pages.map(({ to, word, letter }) =>
            letter === undefined ? null : <Shortcut key={to} keys={`g ${letter}`} name={tShell(word)} />,
          )}
        </Section>
      </div>
    </Dialog>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <dl className="grid gap-x-10 gap-y-1.5 sm:grid-cols-2">{children}</dl>
    </section>
  );
}

function Shortcut({ keys, name }: { readonly keys: string; readonly name: string }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt className="min-w-0">{name}</dt>
      <dd className="shrink-0">
        <Keys keys={keys} />
      </dd>
    </div>
  );
}
