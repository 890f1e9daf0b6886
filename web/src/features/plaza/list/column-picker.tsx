/** The choice of the table's columns. */
import { Columns3 } from "lucide-react";
import { useState } from "react";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/inputs/choices.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { chooseColumns, columnNames, defaultColumns, useColumns } from "./chosen-columns.ts";
import { useColumnName } from "./column-names.ts";

/** A button that opens the choice. */
export function ColumnPicker() {
  const t = useMessages(plazaListMessages);
  const [isOpen, setOpen] = useState(false);
  const nameOf = useColumnName();
  const chosen = useColumns();
  return (
    <>
      <Button icon={<Columns3 aria-hidden className="size-4" />} onClick={() => setOpen(true)}>
        {t("columns")}
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t("columns")}
        foot={<Button onClick={() => chooseColumns(defaultColumns)}>{t("columnsReset")}</Button>}
      >
        <p className="text-muted">{t("columnsLead")}</p>
        <div className="grid gap-2 sm:grid-cols-2">
          {columnNames.map((name) => (
            <Checkbox
              key={name}
              label={nameOf(name)}
              value={chosen.includes(name)}
              onChange={(is) => chooseColumns(is ? [...chosen, name] : chosen.filter((one) => one !== name))}
            />
          ))}
        </div>
      </Dialog>
    </>
  );
}
