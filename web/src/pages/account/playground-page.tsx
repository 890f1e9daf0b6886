/** The playground: a conversation with a model, everything that is sent chosen and seen. */
import { isFor } from "@plaza/contract/operations.ts";
import { useQueryClient } from "@tanstack/react-query";
import { MessageSquarePlus, MessagesSquare, SlidersHorizontal } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { refresh, useApiQuery } from "../../api/queries.ts";
import { staleAfterCall } from "../../api/stale.ts";
import { type Exchange, exchangesMax } from "../../features/playground/chat/conversation.ts";
import { createPlayground } from "../../features/playground/chat/playground-store.ts";
import { countSet } from "../../features/playground/chat/request.ts";
import { isRunning } from "../../features/playground/chat/run-chat.ts";
import { Composer } from "../../features/playground/composer.tsx";
import { ExchangeView } from "../../features/playground/exchange-view.tsx";
import { KeyChoice, NeedsKey } from "../../features/playground/key-choice.tsx";
import { LimitsNow } from "../../features/playground/limits-now.tsx";
import { ModelChoice } from "../../features/playground/model-choice.tsx";
import { areUsable, ParameterPanel } from "../../features/playground/parameter-panel.tsx";
import { TotalsLine } from "../../features/playground/totals-line.tsx";
import { useEndpoint } from "../../features/playground/use-endpoint.ts";
import { chooseKey, type Keys } from "../../features/playground/use-keys.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { ConfirmDialog, Drawer } from "../../ui/overlays/dialog.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";

const playground = createPlayground();
const defaults = { model: "", key: "" };

/** The page. */
export function PlaygroundPage() {
  const t = useMessages(playgroundMessages);
  const { values, set } = useFilters(defaults);
  const plaza = useApiQuery("get /plaza", {});
  const models = plaza.data?.models;
  const first = models?.find((one) => one.status === "available" && isFor(one, "chat"));
  const model = values.model !== "" ? values.model : (first?.id ?? "");
  // A link may name the key; from then on it is the chosen one.
  useEffect(() => {
    if (values.key === "") return;
    chooseKey(values.key);
    set({ key: "" });
  }, [values.key, set]);
  return (
    <>
      <PageHeader title={t("title")} actions={<NewConversation />}>
        {t("lead")}
      </PageHeader>
      <NeedsKey models={model === "" ? [] : [model]}>
        {(keys) => <Desk keys={keys} model={model} onModel={(id) => id !== "" && set({ model: id })} />}
      </NeedsKey>
    </>
  );
}

function NewConversation() {
  const t = useMessages(playgroundMessages);
  const [isAsked, setAsked] = useState(false);
  const { exchanges } = useSyncExternalStore(playground.subscribe, playground.read);
  if (exchanges.length === 0) return null;
  return (
    <>
      <Button icon={<MessageSquarePlus aria-hidden className="size-4" />} onClick={() => setAsked(true)}>
        {t("clear")}
      </Button>
      <ConfirmDialog
        open={isAsked}
        onClose={() => setAsked(false)}
        title={t("clearTitle")}
        act={t("clear")}
        onAct={() => playground.clear()}
      >
        <p>{t("clearText")}</p>
      </ConfirmDialog>
    </>
  );
}

interface DeskProps {
  readonly keys: Keys;
  readonly model: string;
  readonly onModel: (id: string) => void;
}

function Desk({ keys, model, onModel }: DeskProps) {
  const t = useMessages(playgroundMessages);
  const state = useSyncExternalStore(playground.subscribe, playground.read);
  const [isOpen, setOpen] = useState(false);
  const choices = (
    <>
      <ModelChoice value={model} onChange={onModel} />
      <KeyChoice keys={keys} models={[model]} />
    </>
  );
  const panel = (
    <ParameterPanel system={state.system} parameters={state.parameters} onChange={playground.set} />
  );
  const count = countSet(state.parameters) + (state.system === "" ? 0 : 1);
  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:hidden">
          {choices}
          <Button
            className="sm:col-span-2"
            icon={<SlidersHorizontal aria-hidden className="size-4" />}
            onClick={() => setOpen(true)}
          >
            {t("settings")}
            {count > 0 && ` (${count})`}
          </Button>
        </div>
        <Conversation model={model} keyId={keys.chosen?.id ?? ""} />
      </div>
      <aside
        className="sticky top-6 hidden max-h-[calc(100dvh-3rem)] self-start overflow-y-auto xl:block"
        aria-label={t("settings")}
      >
        <Card>
          <div className="flex flex-col gap-4">
            {choices}
            {panel}
          </div>
        </Card>
      </aside>
      <Drawer open={isOpen} onClose={() => setOpen(false)} title={t("settings")}>
        {panel}
      </Drawer>
    </div>
  );
}

/** Sends turns with what is chosen now; the answer's charge changes the balance. */
function useSending(model: string, keyId: string) {
  const endpoint = useEndpoint();
  const client = useQueryClient();
  const sender = useRef({ endpoint, model, keyId, onSettled: () => void refresh(client, staleAfterCall) });
  sender.current = { ...sender.current, endpoint, model, keyId };
  const replace = useCallback((id: number, prompt: Pick<Exchange, "text" | "images">) => {
    playground.replace(sender.current, id, prompt);
  }, []);
  const send = useCallback(() => {
    const { draft } = playground.read();
    if (playground.send(sender.current, draft)) playground.set({ draft: { text: "", images: [] } });
  }, []);
  return { send, replace };
}

/** What lies this much below the visible part still counts as being read along, in pixels. */
const behindPx = 160;

/**
 * A new turn is brought into view above the composer, and stays there while its answer
 * grows, unless the reader scrolled away.
 */
function useFollow(exchanges: readonly Exchange[]) {
  const end = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const lastId = useRef(exchanges.at(-1)?.id);
  useLayoutEffect(() => {
    const id = exchanges.at(-1)?.id;
    const isNew = id !== undefined && id !== lastId.current;
    lastId.current = id;
    if (end.current === null || foot.current === null) return;
    const hidden =
      end.current.getBoundingClientRect().bottom - window.innerHeight + foot.current.offsetHeight;
    if (hidden > 0 && (isNew || hidden < behindPx)) window.scrollBy({ top: hidden + 24 });
  }, [exchanges]);
  return { end, foot };
}

function Conversation({ model, keyId }: { readonly model: string; readonly keyId: string }) {
  const t = useMessages(playgroundMessages);
  const { exchanges, draft, parameters, former } = useSyncExternalStore(
    playground.subscribe,
    playground.read,
  );
  const plaza = useApiQuery("get /plaza", {});
  const { send, replace } = useSending(model, keyId);
  const nameOf = (id: string) => plaza.data?.models.find((one) => one.id === id)?.name ?? id;
  const isBusy = exchanges.some(({ run }) => isRunning(run));
  const isReady = !isBusy && model !== "" && keyId !== "" && areUsable(parameters);
  const isFull = exchanges.length >= exchangesMax;
  const inputs = plaza.data?.models.find((one) => one.id === model)?.modalities?.input;
  const isUnsure = draft.images.length > 0 && inputs?.includes("image") !== true;
  const last = exchanges.at(-1);
  const { end, foot } = useFollow(exchanges);
  return (
    <>
      <Card className="flex-1">
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
                isLocked={!isReady}
                onReplace={replace}
              />
            ))}
            <div ref={end} />
          </div>
        )}
      </Card>
      <div ref={foot} className="sticky bottom-0 -mx-1 flex flex-col gap-2 bg-page px-1 pt-1 pb-3">
        <Composer
          draft={draft}
          onChange={(next) => playground.set({ draft: next })}
          onSend={send}
          canSend={isReady && !isFull && (draft.text.trim() !== "" || draft.images.length > 0)}
          isBusy={isBusy}
          onStop={playground.stop}
          note={isFull ? t("full") : isUnsure ? t("imagesUnsure") : undefined}
        />
        <TotalsLine runs={[...former, ...exchanges.map(({ run }) => run)]} />
        {last?.run.limits != null && (
          <div className="max-sm:hidden">
            <LimitsNow limits={last.run.limits} />
          </div>
        )}
      </div>
    </>
  );
}
