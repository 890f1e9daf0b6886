/** One turn and its answer; the turn can be answered again, or changed and sent again. */
import { Pencil, RotateCcw } from "lucide-react";
import { memo, useState } from "react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/inputs/inputs.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { AnswerView } from "./answer-view.tsx";
import type { Exchange, Prompt } from "./chat/conversation.ts";
import type { ToolResult } from "./chat/request.ts";
import { isRunning } from "./chat/run-chat.ts";
import { ImageList } from "./image-list.tsx";
import { ToolResults } from "./tool-results.tsx";

export interface ExchangeViewProps {
  readonly exchange: Exchange;
  /** The name of the model that answered. */
  readonly modelName: string;
  readonly isLast: boolean;
  /** An answer is under way, or there is nothing to send with. */
  readonly isLocked: boolean;
  readonly onReplace: (id: number, prompt: Prompt) => void;
  /** Answers the tools that this turn's answer asked for. */
  readonly onResults: (results: readonly ToolResult[]) => void;
}

/** Only the one that changes is re-rendered while an answer comes. */
export const ExchangeView = memo(function ExchangeView(props: ExchangeViewProps) {
  const { exchange, modelName, isLast, isLocked, onReplace, onResults } = props;
  const t = useMessages(playgroundMessages);
  const [edited, setEdited] = useState<string | null>(null);
  const [asked, setAsked] = useState<Prompt | null>(null);
  const replace = (prompt: Prompt) => {
    if (!isLast) return setAsked(prompt);
    setEdited(null);
    onReplace(exchange.id, prompt);
  };
  return (
    <article className="flex flex-col gap-3">
      <div className="ml-auto flex w-fit max-w-[min(44rem,92%)] min-w-0 flex-col gap-2 rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 text-ink">
        <h2 className="sr-only">{t("you")}</h2>
        <ImageList images={exchange.images} />
        {exchange.results !== undefined && <Results results={exchange.results} />}
        {edited === null ? (
          exchange.text !== "" && (
            <div dir="auto" className="whitespace-pre-wrap">
              {exchange.text}
            </div>
          )
        ) : (
          <div className="flex w-[min(40rem,75vw)] max-w-full flex-col gap-2">
            <TextArea label={t("message")} value={edited} onChange={setEdited} rows={4} />
            <div className="flex flex-wrap justify-end gap-2">
              <Button size="small" onClick={() => setEdited(null)}>
                {t("cancel")}
              </Button>
              <Button
                size="small"
                variant="primary"
                disabled={isLocked || (edited.trim() === "" && exchange.images.length === 0)}
                onClick={() => replace({ text: edited, images: exchange.images })}
              >
                {t("editSend")}
              </Button>
            </div>
          </div>
        )}
      </div>
      <div className="min-w-0">
        <h2 className="mb-1.5 text-small font-medium text-muted">{modelName}</h2>
        <AnswerView run={exchange.run}>
          {!isRunning(exchange.run) && (
            <>
              <Button
                variant="quiet"
                size="small"
                disabled={isLocked}
                icon={<RotateCcw aria-hidden className="size-4" />}
                onClick={() => replace(exchange)}
              >
                {t("retry")}
              </Button>
              {exchange.results === undefined && (
                <Button
                  variant="quiet"
                  size="small"
                  icon={<Pencil aria-hidden className="size-4" />}
                  onClick={() => setEdited(exchange.text)}
                >
                  {t("edit")}
                </Button>
              )}
            </>
          )}
        </AnswerView>
        {isLast && !isRunning(exchange.run) && exchange.run.answer.toolCalls.length > 0 && (
          <ToolResults calls={exchange.run.answer.toolCalls} isLocked={isLocked} onSend={onResults} />
        )}
      </div>
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={t("replaceTitle")}
        act={t("replaceAct")}
        onAct={() => {
          setEdited(null);
          if (asked !== null) onReplace(exchange.id, asked);
        }}
      >
        <p>{t("replaceText")}</p>
      </ConfirmDialog>
    </article>
  );
});

function Results({ results }: { readonly results: readonly ToolResult[] }) {
  const t = useMessages(playgroundToolsMessages);
  return (
    <div>
      <p className="text-small font-medium">{t("toolResults")}</p>
      {results.map(({ id, text }) => (
        <code key={id} className="block text-[0.9em] whitespace-pre-wrap">
          {text}
        </code>
      ))}
    </div>
  );
}
