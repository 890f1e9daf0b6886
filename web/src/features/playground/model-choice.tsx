/** Choosing a model among thousands, by id or name. */
import { isFor } from "@plaza/contract/operations.ts";
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Field } from "../../ui/inputs/field.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";

export interface ModelChoiceProps {
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly label?: string;
  /** Left out of the list. */
  readonly except?: string;
  readonly className?: string;
}

/** Lists what can be called now and answers chats. */
export function ModelChoice({ value, onChange, label, except, className }: ModelChoiceProps) {
  const t = useMessages(playgroundMessages);
  const plaza = useApiQuery("get /plaza", {});
  const choices = useMemo(
    () =>
      (plaza.data?.models ?? [])
        .filter((model) => model.status !== "unpriced" && model.id !== except && isFor(model, "chat"))
        .map(({ id, name }) =>
          id === name ? { value: id, label: name } : { value: id, label: name, hint: <code>{id}</code> },
        ),
    [plaza.data, except],
  );
  return (
    <Field label={label ?? t("model")} {...(className === undefined ? {} : { className })}>
      <Combobox value={value} onChange={onChange} choices={choices} emptyText={t("chooseModel")} />
    </Field>
  );
}
