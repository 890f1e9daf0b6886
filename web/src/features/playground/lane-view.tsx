/** One model's conversation on the desk. */
import { MessagesSquare, X } from "lucide-react";
import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import type { Exchange, Prompt } from "./chat/conversation.ts";
import type { ToolResult } from "./chat/request.ts";
import { ExchangeView } from "./exchange-view.tsx";

export interface LaneViewProps {
  readonly place: number;
  readonly modelId: string;
  readonly exchanges: readonly Exchange[];
  readonly nameOf: (id: string) => string;
  readonly isLocked: boolean;
  /** What lies over the end of the page. */
  readonly foot: RefObject<HTMLDivElement | null>;
  readonly onReplace: (place: number, id: number, prompt: Prompt) => void;
  readonly onTurn: (place: number, prompt: Prompt) => void;
  readonly onRemove: (() => void) | undefined;
}

/** See above. */
export function LaneView(props: LaneViewProps) {
  const { place, modelId, exchanges, nameOf, isLocked, onReplace, onTurn, onRemove } = props;
  const t = useMessages(playgroundMessages);
  const tTools = useMessages(playgroundToolsMessages);
  const end = useFollow(exchanges, props.foot);
  const last = exchanges.at(-1);
  const replace = useCallback(
    (id: number, prompt: Prompt) => onReplace(place, id, prompt),
    [place, onReplace],
  );
  const sendResults = useCallback(
    (results: readonly ToolResult[]) => onTurn(place, { text: "", images: [], results }),
    [place, onTurn],
  );
  const remove = onRemove !== undefined && (
    <IconButton size="small" label={tTools("removeModel", { name: nameOf(modelId) })} onClick={onRemove}>
      <X aria-hidden className="size-4" />
    </IconButton>
  );
  return (
    <Card
      className="min-w-0 flex-1"
      {...(onRemove === undefined ? {} : { title: nameOf(modelId), action: remove })}
    >
      {exchanges.length === 0 ? (
        <EmptyState icon={<MessagesSquare />} title={t("emptyTitle")}>
          {t("emptyText")}
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-8">
          {exchanges.map((exchange) => (
            <ExchangeView
              key={exchange.id}
              exchange={exchange}
              modelName={nameOf(exchange.run.model)}
              isLast={exchange === last}
              isLocked={isLocked}
              onReplace={replace}
              onResults={sendResults}
            />
          ))}
          <div ref={end} />
        </div>
      )}
    </Card>
  );
}

/** What lies this much below the visible part still counts as being read along, in pixels. */
const behindPx = 160;

/**
 * A new turn is brought into view above the composer, and stays there while its answer
 * grows, unless the reader scrolled away.
 */
function useFollow(exchanges: readonly Exchange[], foot: RefObject<HTMLDivElement | null>) {
  const end = useRef<HTMLDivElement>(null);
  const lastId = useRef(exchanges.at(-1)?.id);
  useLayoutEffect(() => {
    const id = exchanges.at(-1)?.id;
    const isNew = id !== undefined && id !== lastId.current;
    lastId.current = id;
    if (end.current === null || foot.current === null) return;
    const hidden =
      end.current.getBoundingClientRect().bottom - window.innerHeight + foot.current.offsetHeight;
    if (hidden > 0 && (isNew || hidden < behindPx)) window.scrollBy({ top: hidden + 24 });
  }, [exchanges, foot]);
  return end;
}
