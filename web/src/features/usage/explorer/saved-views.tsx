/** Views that are kept under a name, and a link that shows the same to others. */
import { Bookmark, Link2, Trash2 } from "lucide-react";
import { useState } from "react";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { uiMessages } from "../../../i18n/en/ui.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/inputs/field.tsx";
import { TextInput } from "../../../ui/inputs/inputs.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { Menu } from "../../../ui/overlays/menu.tsx";
import type { MenuEntry } from "../../../ui/overlays/menu-props.ts";
import { toast, toastError } from "../../../ui/overlays/toast.tsx";
import { keyOfViews, readViews, type SavedView, withoutView, withView } from "./views.ts";

export interface SavedViewsProps {
  readonly userId: string;
  /** The path of the page. */
  readonly page: string;
  /** What the address of this view says after the path. */
  readonly search: string;
  /** The same for others, whose time zone may be another. */
  readonly sharedSearch: string;
}

function stored(key: string): readonly SavedView[] {
  try {
    return readViews(localStorage.getItem(key));
  } catch {
    // Storage may be switched off; there are no views then.
    return [];
  }
}

function useViews(key: string) {
  const [views, setViews] = useState(() => stored(key));
  const keep = (next: readonly SavedView[]) => {
    setViews(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // The view lasts as long as the page.
    }
  };
  return { views, keep };
}

/** See `SavedViewsProps`. */
export function SavedViews({ userId, page, search, sharedSearch }: SavedViewsProps) {
  const t = useMessages(explorerMessages);
  const { views, keep } = useViews(keyOfViews(userId, page));
  const [isNaming, setNaming] = useState(false);
  const current = views.find((view) => view.search === search);
  const copy = () =>
    navigator.clipboard.writeText(`${window.location.origin}${page}${sharedSearch}`).then(
      () => toast(t("linkCopied")),
      () => toastError(t("linkNotCopied")),
    );
  const entries: MenuEntry[] = [
    ...views.map((view) => ({ label: <bdi>{view.name}</bdi>, to: `${page}${view.search}` })),
    ...(views.length === 0 ? [] : (["line"] as const)),
    {
      label: t("saveView"),
      icon: <Bookmark aria-hidden className="size-4" />,
      onPick: () => setNaming(true),
    },
    {
      label: t("copyLink"),
      icon: <Link2 aria-hidden className="size-4" />,
      onPick: () => void copy(),
    },
    ...(current === undefined
      ? []
      : [
          {
            label: t("deleteView", { name: current.name }),
            icon: <Trash2 aria-hidden className="size-4" />,
            danger: true,
            onPick: () => keep(withoutView(views, current.name)),
          },
        ]),
  ];
  return (
    <>
      <Menu
        align="end"
        trigger={<Button icon={<Bookmark aria-hidden className="size-4" />}>{t("views")}</Button>}
        entries={entries}
      />
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep(withView(views, { name, search }));
            setNaming(false);
            toast(t("viewSaved"));
          }}
        />
      )}
    </>
  );
}

interface NameDialogProps {
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NameDialog({ onClose, onName }: NameDialogProps) {
  const t = useMessages(explorerMessages);
  const tUi = useMessages(uiMessages);
  const [name, setName] = useState("");
  return (
    <Dialog open onClose={onClose} title={t("saveTitle")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") onName(name);
        }}
      >
        <Field label={t("viewName")} hint={t("viewNameHint")}>
          <TextInput value={name} onChange={setName} autoFocus />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{tUi("cancel")}</Button>
          <Button type="submit" variant="primary" disabled={name.trim() === ""}>
            {tUi("save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
