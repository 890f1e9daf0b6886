/** Results for the tools that an answer asked for: written by hand, sent as the next turn. */
import { SendHorizontal } from "lucide-react";
import { useState } from "react";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextArea } from "../../ui/inputs/inputs.tsx";
import type { ToolCall, ToolResult } from "./chat/request.ts";

export interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  readonly isLocked: boolean;
  readonly onSend: (results: readonly ToolResult[]) => void;
}

/** One field a call; all are sent together, as an endpoint requires. */
export function ToolResults({ calls, isLocked, onSend }: ToolResultsProps) {
  const t = useMessages(playgroundToolsMessages);
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ""));
  const isWhole = calls.every((_, at) => (texts[at] ?? "").trim() !== "");
  return (
    <form
      className="mt-3 flex flex-col gap-3 rounded-lg border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(calls.map(({ id }, at) => ({ id, text: texts[at] ?? "" })));
      }}
    >
      {calls.map(({ id, name }, at) => (
        <Field key={id} label={t("toolResult", { name })}>
          <TextArea
            value={texts[at] ?? ""}
            onChange={(text) =>
              setTexts(calls.map((_, place) => (place === at ? text : (texts[place] ?? ""))))
            }
            rows={2}
            mono
          />
        </Field>
      ))}
      <Button
        type="submit"
        className="self-end"
        disabled={isLocked || !isWhole}
        icon={<SendHorizontal aria-hidden className="size-4" />}
      >
        {t("toolSend")}
      </Button>
    </form>
  );
}
