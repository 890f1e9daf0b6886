/**
 * The command palette: one field that finds pages, models, keys, accounts, requests and actions. A combobox
 * with a list below it; the focus stays in the field.
 */
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { ArrowLeft, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { paletteMessages } from "../../i18n/en/palette.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { IconButton } from "../../ui/button.tsx";
import { useGo } from "../../ui/navigation.tsx";
import { Keys } from "../../ui/surfaces.tsx";
import { useModelStates } from "../models/use-model-states.ts";
import { type Entry, groupNames, recentEntries, type Step, useOwnEntries } from "./entries.ts";
import { bestOf, inGroups } from "./match.ts";
import { noteRecent } from "./recent.ts";
import { useDisableKey } from "./use-disable-key.ts";
import { useFound } from "./use-found.ts";

export interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** Pages and actions shown for a query. */
const ownMax = 8;
const queryMax = 200;

/** See `PaletteProps`. */
export function Palette({ open, onClose, onShortcuts }: PaletteProps) {
  const t = useMessages(paletteMessages);
  // After a page was chosen the focus belongs to that page.
  const hasGone = useRef(false);
  const former = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) {
    former.current = document.activeElement;
    hasGone.current = false;
  }
  wasOpen.current = open;
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Viewport className="fixed inset-0 z-40 flex items-start justify-center sm:p-6 sm:pt-[12vh]">
          <BaseDialog.Popup
            aria-label={t("title")}
            finalFocus={() =>
              hasGone.current ? false : former.current instanceof HTMLElement ? former.current : true
            }
            className="float-in flex h-dvh w-full flex-col bg-raised shadow-float outline-none sm:h-auto sm:max-h-[70vh] sm:max-w-2xl sm:rounded-2xl"
          >
            <Body
              onClose={onClose}
              onGone={() => {
                hasGone.current = true;
              }}
              onShortcuts={onShortcuts}
            />
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

interface BodyProps {
  readonly onClose: () => void;
  readonly onGone: () => void;
  readonly onShortcuts: () => void;
}

function useShown(query: string, step: Step | null, onShortcuts: () => void) {
  const session = useSession();
  const own = useOwnEntries(session, onShortcuts);
  const [recent] = useState(() => (session.user === null ? [] : recentEntries(session.user.id)));
  const found = useFound(query, step, session);
  const entries = useMemo(() => {
    const isEmpty = query.trim() === "";
    const mine = step !== null ? [] : isEmpty ? [...recent, ...own] : bestOf(query, own, ownMax);
    const all = [...mine, ...found.entries];
    return inGroups(query, groupNames, all);
  }, [query, step, own, recent, found.entries]);
  return { ...found, entries, user: session.user?.id };
}

function Body({ onClose, onGone, onShortcuts }: BodyProps) {
  const t = useMessages(paletteMessages);
  const id = useId();
  const go = useGo();
  const disableKey = useDisableKey();
  const setModels = useModelStates();
  const [query, setQuery] = useState("");
  const [step, setStep] = useState<Step | null>(null);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const { entries, isSearching, hasFailed, user } = useShown(query, step, onShortcuts);
  const active = entries[Math.min(at, entries.length - 1)];
  const type = (text: string) => {
    setQuery(text);
    setAt(0);
  };
  const enter = (next: Step | null) => {
    setStep(next);
    type("");
    field.current?.focus();
  };
  useEffect(() => {
    if (active !== undefined)
      document.getElementById(`${id}-${active.id}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);

  const choose = (entry: Entry) => {
    if (entry.step !== undefined) return enter(entry.step);
    if (step === "disableKey") void disableKey(entry.id.slice("key:".length));
    else if (entry.model !== undefined) void setModels([entry.model], false);
    else if (entry.to !== undefined) {
      onGone();
      if (step === null && user !== undefined) {
        noteRecent(user, {
          id: entry.id.replace(/^recent:/, ""),
          label: entry.label,
          ...(entry.note === undefined ? {} : { note: entry.note }),
          to: entry.to,
        });
      }
      go(entry.to);
    } else void entry.act?.();
    onClose();
  };

  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const last = entries.length - 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at >= last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    };
    const move = moves[event.key];
    if (move !== undefined && !event.shiftKey) setAt(Math.max(0, move));
    else if (event.key === "Enter" && active !== undefined) choose(active);
    else if (step !== null && (event.key === "Escape" || (event.key === "Backspace" && query === ""))) {
      enter(null);
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };

  const status = entries.length > 0 || !isSearching ? t("found", { count: entries.length }) : t("searching");
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        {step === null ? (
          <Search aria-hidden className="mx-2 size-5 shrink-0 text-faint" />
        ) : (
          <IconButton label={t("back")} size="small" onClick={() => enter(null)}>
            <ArrowLeft aria-hidden className="size-4" />
          </IconButton>
        )}
        <input
          ref={field}
          role="combobox"
          aria-label={step === null ? t("placeholder") : t(`placeholder.${step}`)}
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
          value={query}
          maxLength={queryMax}
          placeholder={step === null ? t("placeholder") : t(`placeholder.${step}`)}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
          className="min-h-11 min-w-0 flex-1 bg-transparent text-lead outline-none"
        />
        <BaseDialog.Close className="rounded-md px-2 py-1 text-small text-muted hover:bg-hover">
          Esc<span className="sr-only">, {t("keysClose")}</span>
        </BaseDialog.Close>
      </div>
      <p role="status" className="sr-only">
        {status}
      </p>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-2">
        <List id={id} entries={entries} active={active} onPoint={setAt} onChoose={choose} />
        {entries.length === 0 && !isSearching && (
          <div className="px-4 py-10 text-center">
            <p className="font-medium">
              {query.trim() === "" ? t("nothingToChoose") : t("nothing", { query: query.trim() })}
            </p>
            <p className="text-muted">
              {step === null && t("nothingHint")}
              {step === "stopModel" && t("onlyConsole")}
              {step === "startModel" && t("onlyDisabled")}
            </p>
          </div>
        )}
        {entries.length === 0 && isSearching && (
          <p className="px-4 py-10 text-center text-muted">{t("searching")}</p>
        )}
        {hasFailed && <p className="px-3 py-2 text-small text-warn">{t("failed")}</p>}
      </div>
      <footer
        aria-hidden
        className="flex gap-4 border-t border-line px-4 py-2 text-tiny text-muted max-sm:hidden"
      >
        <Hint keys="↑ ↓">{t("keysMove")}</Hint>
        <Hint keys="↵">{t("keysOpen")}</Hint>
        <Hint keys="Esc">{t("keysClose")}</Hint>
      </footer>
    </>
  );
}

function Hint({ keys, children }: { readonly keys: string; readonly children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Keys keys={keys} /> {children}
    </span>
  );
}

interface ListProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly active: Entry | undefined;
  readonly onPoint: (at: number) => void;
  readonly onChoose: (entry: Entry) => void;
}

function List({ id, entries, active, onPoint, onChoose }: ListProps) {
  const t = useMessages(paletteMessages);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <div id={`${id}-list`} role="listbox" aria-label={t("results")}>
      {groups.map((name) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox.
        <div key={name} role="group" aria-labelledby={`${id}-${name}`} className="pb-1">
          <div id={`${id}-${name}`} className="px-3 pt-2 pb-1 text-tiny font-medium text-muted">
            {t(`group.${name}`)}
          </div>
          {entries.map((entry, at) =>
            entry.group === name ? (
              <Line
                key={entry.id}
                id={`${id}-${entry.id}`}
                entry={entry}
                isActive={entry === active}
                onPoint={() => onPoint(at)}
                onChoose={() => onChoose(entry)}
              />
            ) : null,
          )}
        </div>
      ))}
    </div>
  );
}

interface LineProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Line({ id, entry, isActive, onPoint, onChoose }: LineProps) {
  const { icon: Icon } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are pressed in the field, as the combobox pattern says.
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active one.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
      className={`flex min-h-11 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 ${
        isActive ? "bg-accent-soft text-accent-ink" : ""
      }`}
    >
      <Icon aria-hidden className="size-4 shrink-0 opacity-75" />
      <bdi className="min-w-0 truncate">{entry.label}</bdi>
      {entry.note !== undefined && (
        <bdi className={`min-w-0 shrink-[2] truncate text-small ${isActive ? "" : "text-muted"}`}>
          {entry.note}
        </bdi>
      )}
      {entry.shortcut !== undefined && (
        <span aria-hidden className="ml-auto shrink-0 max-sm:hidden">
          <Keys keys={entry.shortcut} />
        </span>
      )}
    </div>
  );
}
