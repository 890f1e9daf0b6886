/** Chooses operations to filter by, for a `FilterBar`. */
import { operationNames } from "@plaza/contract/operations.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { useMessages } from "../../i18n/messages.ts";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";

export interface OperationSelectProps {
  readonly value: readonly string[];
  readonly onChange: (operation: readonly string[]) => void;
}

/** See above. */
export function OperationSelect({ value, onChange }: OperationSelectProps) {
  const t = useMessages(operationMessages);
  return (
    <MultiSelect
      label={t("operation")}
      emptyText={t("allOperations")}
      className="sm:w-40"
      value={value}
      choices={operationNames.map((name) => ({ value: name, label: t(`operation.${name}`) }))}
      onChange={onChange}
    />
  );
}
