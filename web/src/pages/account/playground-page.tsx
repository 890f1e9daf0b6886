/**
 * The playground: a conversation with one model, or with several at once; everything sent is chosen and seen.
 */
import { isFor } from "@plaza/contract/operations.ts";
import { MessageSquarePlus } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { messagesOf } from "../../features/playground/chat/conversation.ts";
import type { Playground } from "../../features/playground/chat/playground-store.ts";
import { bodyText, chatBody } from "../../features/playground/chat/request.ts";
import { CodeButton } from "../../features/playground/code/sent-code.tsx";
import { Desk } from "../../features/playground/desk.tsx";
import { NeedsKey } from "../../features/playground/key-choice.tsx";
import { lanesMax, useLaneStates, useLanes } from "../../features/playground/lanes.ts";
import { PromptButton } from "../../features/playground/prompt-dialog.tsx";
import { ShareButton, useSharedPrompt } from "../../features/playground/share-button.tsx";
import { chooseKey } from "../../features/playground/use-keys.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { Notice, PageHeader } from "../../ui/surfaces.tsx";

const defaults = { model: [] as string[], key: "", stream: "", replay: "" };

/** The page. */
export function PlaygroundPage() {
  const t = useMessages(playgroundMessages);
  const { account, user } = useSession();
  const { values, set } = useFilters(defaults);
  const plaza = useApiQuery("get /plaza", {});
  const first = plaza.data?.models.find((one) => one.status === "available" && isFor(one, "chat"));
  const given = [...new Set(values.model.filter((id) => id !== ""))].slice(0, lanesMax);
  const models = given.length > 0 ? given : [first?.id ?? ""];
  const accountId = account?.id ?? "";
  const lanes = useLanes(`${accountId}.${user?.id ?? ""}`, models);
  const [main] = lanes;
  // A link may name the key; from then on it is the chosen one.
  useEffect(() => {
    if (values.key === "") return;
    chooseKey(values.key);
    set({ key: "" });
  }, [values.key, set]);
  useEffect(() => {
    if (values.stream === "" || main === undefined) return;
    main.set({ parameters: { ...main.read().parameters, stream: values.stream !== "0" } });
    set({ stream: "" });
  }, [values.stream, main, set]);
  const onModels = useCallback((next: readonly string[]) => set({ model: [...next] }), [set]);
  return (
    <>
      {main !== undefined && (
        <>
          <TakenIn playground={main} onModels={onModels} />
          <PageHeader
            title={t("title")}
            actions={<Acts accountId={accountId} model={models[0] ?? ""} lanes={lanes} />}
          >
            {t("lead")}
          </PageHeader>
        </>
      )}
      {values.replay !== "" && <ReplayNote id={values.replay} onDismiss={() => set({ replay: "" })} />}
      <NeedsKey models={models.filter((id) => id !== "")}>
        {(keys) => <Desk keys={keys} models={models} onModels={onModels} lanes={lanes} />}
      </NeedsKey>
    </>
  );
}

/** Says what of a repeated request is chosen here, and what is not. */
function ReplayNote({ id, onDismiss }: { readonly id: string; readonly onDismiss: () => void }) {
  const t = useMessages(playgroundMessages);
  return (
    <div className="mb-5">
      <Notice
        tone="accent"
        title={t("replayTitle", { id })}
        action={
          <Button size="small" onClick={onDismiss}>
            {t("replayDismiss")}
          </Button>
        }
      >
        {t("replayText")}
      </Notice>
    </div>
  );
}

interface TakenInProps {
  readonly playground: Playground;
  readonly onModels: (models: readonly string[]) => void;
}

/** Takes in a prompt that the address carries; draws nothing. */
function TakenIn({ playground, onModels }: TakenInProps) {
  const onModel = useCallback((id: string) => onModels(id === "" ? [] : [id]), [onModels]);
  useSharedPrompt(playground, onModel);
  return null;
}

interface ActsProps {
  readonly accountId: string;
  readonly model: string;
  readonly lanes: readonly Playground[];
}

function Acts({ accountId, model, lanes }: ActsProps) {
  const t = useMessages(playgroundToolsMessages);
  const [main] = lanes;
  if (main === undefined) return null;
  const bodyOf = () => {
    const { exchanges, draft, system, parameters } = main.read();
    return bodyText(chatBody(model, system, messagesOf(exchanges, draft), parameters));
  };
  return (
    <>
      <PromptButton accountId={accountId} playground={main} />
      <ShareButton model={model} playground={main} />
      <CodeButton bodyOf={bodyOf}>{t("codeNow")}</CodeButton>
      <NewConversation lanes={lanes} />
    </>
  );
}

function NewConversation({ lanes }: Pick<ActsProps, "lanes">) {
  const t = useMessages(playgroundMessages);
  const [isAsked, setAsked] = useState(false);
  const states = useLaneStates(lanes);
  if (states.every(({ exchanges }) => exchanges.length === 0)) return null;
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
        onAct={() => {
          for (const lane of lanes) lane.clear();
        }}
      >
        <p>{t("clearText")}</p>
      </ConfirmDialog>
    </>
  );
}
