/**
 * The models found as cards in a grid, of which only the rows near the window are drawn; a phone shows a few,
 * and more on demand.
 */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { uiMessages } from "../../../i18n/en/ui.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { useCards, useIsPhone } from "../../../ui/phone.ts";
import type { PlazaModel } from "../models.ts";
import { PlazaCard } from "./card.tsx";
import { printedRows, useIsPrinting } from "./printing.ts";

/** Least width of a card and space between cards, in rem. */
const cardRem = 20;
const gapRem = 1;
/** Up to so many are all drawn, so that the browser's own search finds them. */
const wholeMax = 96;
/** Height of a card before it is measured, in pixels. */
const guessedPx = { phone: 219, else: 380 };

export interface PlazaCardsProps {
  readonly models: readonly PlazaModel[];
  /** The last day of each model by its id. */
  readonly strips: ReadonlyMap<string, string>;
  readonly compared: readonly string[];
  readonly isFull: boolean;
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

interface Grid {
  /** Number of cards beside each other. */
  readonly columns: number;
  /** Where the list begins on the page. */
  readonly topPx: number;
}

/** As it was last measured: most likely it is the same again, and what is drawn first is right. */
let lastGrid: Grid | undefined;

function useGrid() {
  const ref = useRef<HTMLDivElement>(null);
  const [grid, setGrid] = useState<Grid>(lastGrid ?? { columns: 1, topPx: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => {
      const { width, top } = element.getBoundingClientRect();
      const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const columns = Math.max(1, Math.floor((width / remPx + gapRem) / (cardRem + gapRem)));
      const topPx = Math.round(top + window.scrollY);
      lastGrid = { columns, topPx };
      setGrid((now) => (now.columns === columns && now.topPx === topPx ? now : { columns, topPx }));
    };
    measure();
    // The page's height changes when something above the list does.
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  return { ref, ...grid };
}

/** See above. */
export function PlazaCards(props: PlazaCardsProps) {
  const t = useMessages(uiMessages);
  const isPrinting = useIsPrinting();
  const { ref, columns, topPx } = useGrid();
  const { models } = props;
  const isPhone = useIsPhone();
  const cards = useCards(models.length);
  const rows = useWindowVirtualizer({
    count: Math.ceil(cards.shown / columns),
    estimateSize: () => (isPhone ? guessedPx.phone : guessedPx.else),
    overscan: models.length <= wholeMax ? models.length : 3,
    scrollMargin: topPx,
    // Without it nothing is drawn until the window is measured, and then all at once.
    ...(lastGrid === undefined ? {} : { initialRect: { width: innerWidth, height: innerHeight } }),
  });
  const gridClass = "grid gap-4 pb-4";
  const style = { gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` };
  if (isPrinting)
    return (
      // biome-ignore lint/a11y/useSemanticElements: as below.
      <div ref={ref} role="list" className={gridClass} style={style}>
        {models.slice(0, printedRows).map((model, at) => (
          <CardItem key={model.id} at={at} of={models.length}>
            <OneCard {...props} model={model} />
          </CardItem>
        ))}
      </div>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: rows lie between the list and its items, which <ul> does not allow. */}
      <div ref={ref} role="list" className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <div
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            role="presentation"
            className={`absolute inset-x-0 top-0 ${gridClass}`}
            style={{ ...style, transform: `translateY(${row.start - topPx}px)` }}
          >
            {models
              .slice(row.index * columns, Math.min((row.index + 1) * columns, cards.shown))
              .map((model, place) => (
                <CardItem key={model.id} at={row.index * columns + place} of={models.length}>
                  <OneCard {...props} model={model} />
                </CardItem>
              ))}
          </div>
        ))}
      </div>
      {cards.next > 0 && (
        <div className="flex justify-center">
          <Button onClick={cards.showMore}>{t("showMore", { count: cards.next })}</Button>
        </div>
      )}
    </>
  );
}

interface CardItemProps {
  readonly at: number;
  readonly of: number;
  readonly children: ReactNode;
}

function CardItem({ at, of, children }: CardItemProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: belongs to the list above.
    <div role="listitem" aria-posinset={at + 1} aria-setsize={of} className="flex min-w-0">
      {children}
    </div>
  );
}

function OneCard({ model, strips, compared, ...rest }: PlazaCardsProps & { readonly model: PlazaModel }) {
  return (
    <PlazaCard
      model={model}
      isCompared={compared.includes(model.id)}
      isFull={rest.isFull}
      strip={strips.get(model.id)}
      onCompare={rest.onCompare}
    />
  );
}
