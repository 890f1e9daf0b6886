/** Tabs. Small and without a library, because they are visible from the start. Knows no page. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

/** One view. */
export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps<Value extends string> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
}

/** The tab a key leads to among `count` tabs; undefined for none. */
function target(key: string, at: number, count: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowRight: (at + 1) % count,
    ArrowLeft: (at - 1 + count) % count,
    Home: 0,
    End: count - 1,
  };
  return places[key];
}

/**
 * Keep `value` in the URL (`useFilters`), so that a view can be linked.
 * Arrow keys move, Enter and space choose.
 */
export function Tabs<Value extends string>({ value, onChange, label, tabs }: TabsProps<Value>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const known = tabs.some((tab) => tab.value === value);
  const current = known ? value : tabs[0]?.value;
  const move = (event: KeyboardEvent, at: number) => {
    const next = target(event.key, at, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div className="flex flex-col gap-5">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line"
      >
        {tabs.map((tab, at) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-tab-${tab.value}`}
            aria-selected={tab.value === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === current ? 0 : -1}
            onKeyDown={(event) => move(event, at)}
            onClick={() => onChange(tab.value)}
            className="-mb-px shrink-0 border-b-2 border-transparent px-3 py-2 text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${current}`} className="min-w-0">
        {tabs.find((tab) => tab.value === current)?.content}
      </div>
    </div>
  );
}
