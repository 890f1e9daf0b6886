/**
 * The playground's desk: one to four models that get the same messages, their conversations beside each
 * other, what is written below, and the settings of all of them.
 */
import { useQueryClient } from "@tanstack/react-query";
import { SlidersHorizontal } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { refresh, useApiQuery } from "../../api/queries.ts";
import { staleAfterCall } from "../../api/stale.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Drawer } from "../../ui/overlays/dialog.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { exchangesMax, type Prompt } from "./chat/conversation.ts";
import type { Playground } from "./chat/playground-store.ts";
import { countSet, mediaTypeOf } from "./chat/request.ts";
import { isRunning } from "./chat/run-chat.ts";
import { Composer } from "./composer.tsx";
import { KeyChoice } from "./key-choice.tsx";
import { LaneView } from "./lane-view.tsx";
import { lanesMax, useLaneStates } from "./lanes.ts";
import { LimitsNow } from "./limits-now.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { areUsable, ParameterPanel } from "./parameter-panel.tsx";
import { TotalsLine } from "./totals-line.tsx";
import { useEndpoint } from "./use-endpoint.ts";
import type { Keys } from "./use-keys.ts";

export interface DeskProps {
  readonly keys: Keys;
  /** Never empty; the first may be "" while the list loads. */
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
  /** A conversation for each model. */
  readonly lanes: readonly Playground[];
}

/** See above. */
export function Desk(props: DeskProps) {
  const { keys, models, lanes } = props;
  const t = useMessages(playgroundMessages);
  const states = useLaneStates(lanes);
  const [isOpen, setOpen] = useState(false);
  const [main] = lanes;
  const [state] = states;
  if (main === undefined || state === undefined) return null;
  const choices = (
    <>
      <ModelChoices {...props} />
      <KeyChoice keys={keys} models={models.filter((id) => id !== "")} />
    </>
  );
  const panel = <ParameterPanel system={state.system} parameters={state.parameters} onChange={main.set} />;
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
        <Conversations {...props} keyId={keys.chosen?.id ?? ""} />
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

function ModelChoices({ models, onModels }: DeskProps) {
  const t = useMessages(playgroundToolsMessages);
  const [first = "", ...others] = models;
  return (
    <div className="flex flex-col gap-3">
      <ModelChoice value={first} onChange={(id) => id !== "" && onModels([id, ...others])} />
      {models.length < lanesMax && first !== "" && (
        <ModelChoice
          label={t("addModel")}
          value=""
          except={first}
          onChange={(id) => id !== "" && !models.includes(id) && onModels([...models, id])}
        />
      )}
    </div>
  );
}

/** Sends the same turn to every model; the answers' charges change the balance. */
function useSending(lanes: readonly Playground[], models: readonly string[], keyId: string) {
  const endpoint = useEndpoint();
  const client = useQueryClient();
  const latest = useRef({ endpoint, lanes, models, keyId });
  latest.current = { endpoint, lanes, models, keyId };
  return useMemo(() => {
    const onSettled = () => void refresh(client, staleAfterCall);
    const senderAt = (place: number) => {
      const { models: now, ...rest } = latest.current;
      return { endpoint: rest.endpoint, keyId: rest.keyId, model: now[place] ?? "", onSettled };
    };
    const prepared = (place: number): Playground | undefined => {
      const [main] = latest.current.lanes;
      const lane = latest.current.lanes[place];
      if (main !== undefined && lane !== undefined && lane !== main) {
        const { system, parameters } = main.read();
        lane.set({ system, parameters });
      }
      return lane;
    };
    return {
      sendAll: () => {
        const [main] = latest.current.lanes;
        if (main === undefined) return;
        const { draft } = main.read();
        const sent = latest.current.lanes.map(
          (_, place) => prepared(place)?.send(senderAt(place), draft) === true,
        );
        if (sent.some(Boolean)) main.set({ draft: { text: "", images: [] } });
      },
      sendTo: (place: number, prompt: Prompt) => void prepared(place)?.send(senderAt(place), prompt),
      replaceIn: (place: number, id: number, prompt: Prompt) =>
        void prepared(place)?.replace(senderAt(place), id, prompt),
    };
  }, [client]);
}

function Conversations({ lanes, models, onModels, keyId }: DeskProps & { readonly keyId: string }) {
  const t = useMessages(playgroundMessages);
  const states = useLaneStates(lanes);
  const plaza = useApiQuery("get /plaza", {});
  const { sendAll, sendTo, replaceIn } = useSending(lanes, models, keyId);
  const foot = useRef<HTMLDivElement>(null);
  const listed = plaza.data?.models;
  const nameOf = useCallback((id: string) => listed?.find((one) => one.id === id)?.name ?? id, [listed]);
  const [main] = lanes;
  const [state] = states;
  if (main === undefined || state === undefined) return null;
  const { draft, parameters } = state;
  const isBusy = states.some(({ exchanges }) => exchanges.some(({ run }) => isRunning(run)));
  const isReady = !isBusy && keyId !== "" && models.every((id) => id !== "") && areUsable(parameters);
  const isFull = states.some(({ exchanges }) => exchanges.length >= exchangesMax);
  const needs = new Set(draft.images.map(({ dataUrl }) => kindOf(dataUrl)));
  const isUnsure = models.some((id) => {
    const inputs = listed?.find((one) => one.id === id)?.modalities?.input;
    return [...needs].some((kind) => inputs?.includes(kind) !== true);
  });
  const last = state.exchanges.at(-1);
  const isCompared = lanes.length > 1;
  return (
    <>
      <div
        className={
          isCompared
            ? "grid flex-1 grid-flow-col auto-cols-[minmax(min(20rem,85%),1fr)] gap-3 overflow-x-auto"
            : "flex flex-1 flex-col"
        }
      >
        {lanes.map((lane, place) => (
          <LaneView
            key={place === 0 ? "" : models[place]}
            place={place}
            modelId={models[place] ?? ""}
            exchanges={states[place]?.exchanges ?? []}
            nameOf={nameOf}
            isLocked={!isReady}
            foot={foot}
            onReplace={replaceIn}
            onTurn={sendTo}
            onRemove={
              isCompared && place > 0
                ? () => {
                    lane.clear();
                    onModels(models.filter((_, at) => at !== place));
                  }
                : undefined
            }
          />
        ))}
      </div>
      <div ref={foot} className="sticky bottom-0 -mx-1 flex flex-col gap-2 bg-page px-1 pt-1 pb-3">
        <Composer
          draft={draft}
          onChange={(next) => main.set({ draft: next })}
          onSend={sendAll}
          canSend={isReady && !isFull && (draft.text.trim() !== "" || draft.images.length > 0)}
          isBusy={isBusy}
          onStop={() => {
            for (const lane of lanes) lane.stop();
          }}
          note={isFull ? t("full") : isUnsure ? t("imagesUnsure") : undefined}
        />
        <TotalsLine
          runs={states.flatMap(({ former, exchanges }) => [...former, ...exchanges.map(({ run }) => run)])}
        />
        {last?.run.limits != null && !isCompared && (
          <div className="max-sm:hidden">
            <LimitsNow limits={last.run.limits} />
          </div>
        )}
      </div>
    </>
  );
}

/** The modality of an attachment, as the plaza names it. */
function kindOf(dataUrl: string): string {
  const type = mediaTypeOf(dataUrl);
  return type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "audio" : "file";
}
