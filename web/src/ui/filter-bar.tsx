/** Filters whose state is the URL: a reload or a link shows the same. Knows no page. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { SlidersHorizontal } from "lucide-react";
import { Children, type ReactNode, useCallback, useId, useMemo, useState } from "react";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

/** Texts and lists of texts; what equals its default is not in the URL. */
type FilterShape = Readonly<Record<string, string | readonly string[]>>;
type Widened<Shape> = { [Name in keyof Shape]: Shape[Name] extends string ? string : readonly string[] };

/** Filters and how they are changed. */
export interface Filters<Shape> {
  readonly values: Widened<Shape>;
  /** Changes some; the rest stays. */
  readonly set: (changes: Partial<Widened<Shape>>) => void;
  readonly clear: () => void;
  /** Something is not at its default. */
  readonly isFiltered: boolean;
}

/**
 * `const filters = useFilters(defaults)` with `defaults` at module level: `{ q: "", model: [] as string[] }`.
 */
export function useFilters<const Shape extends FilterShape>(defaults: Shape): Filters<Shape> {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const values = useMemo(() => {
    const read = Object.entries(defaults).map(([name, fallback]) => {
      const given = search[name];
      if (given === undefined) return [name, fallback];
      if (Array.isArray(fallback)) return [name, Array.isArray(given) ? given.map(String) : [String(given)]];
      return [name, String(Array.isArray(given) ? given[0] : given)];
    });
    return Object.fromEntries(read) as Widened<Shape>;
  }, [defaults, search]);
  const set = useCallback(
    (changes: Partial<Widened<Shape>>) => {
      void navigate({
        to: ".",
        replace: true,
        resetScroll: false,
        search: ((current: Record<string, unknown>) => {
          const next: Record<string, unknown> = { ...current, ...changes };
          for (const [name, fallback] of Object.entries(defaults)) {
            const value = next[name];
            const isDefault = Array.isArray(value) ? value.length === 0 : value === fallback;
            if (isDefault) delete next[name];
          }
          return next;
        }) as never,
      });
    },
    [defaults, navigate],
  );
  const isFiltered = Object.keys(defaults).some((name) => search[name] !== undefined);
  return { values, set, isFiltered, clear: () => set(defaults as unknown as Widened<Shape>) };
}

export interface FilterBarProps {
  readonly children: ReactNode;
  readonly isFiltered?: boolean;
  readonly onClear?: () => void;
  /** At its end: an export, a switch of views. */
  readonly actions?: ReactNode;
}

/** A row of controls over a list. On phones the first one is shown, and a button brings up the others. */
export function FilterBar({ children, isFiltered, onClear, actions }: FilterBarProps) {
  const t = useMessages(uiMessages);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [first, ...others] = Children.toArray(children);
  return (
    <search aria-label={t("filters")} className="mb-4 flex flex-wrap items-center gap-2 print:hidden">
      <div className="flex min-w-28 flex-1 flex-col gap-2 max-sm:*:w-full sm:contents">{first}</div>
      {others.length > 0 && (
        <Button
          aria-expanded={isOpen}
          aria-controls={id}
          icon={<SlidersHorizontal aria-hidden className="size-4" />}
          className="self-start sm:hidden"
          onClick={() => setOpen(!isOpen)}
        >
          {t("filters")}
        </Button>
      )}
      <div
        id={id}
        className={classNames(
          "sm:contents",
          isOpen ? "flex w-full flex-col gap-2 max-sm:*:w-full" : "max-sm:hidden",
        )}
      >
        {others}
      </div>
      {isFiltered === true && onClear !== undefined && (
        <Button variant="quiet" size="small" onClick={onClear}>
          {t("clearFilters")}
        </Button>
      )}
      {actions !== undefined && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
    </search>
  );
}
