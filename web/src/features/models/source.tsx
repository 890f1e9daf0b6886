/** Marks where a thing of the catalog is managed, and says why some cannot be changed here. Knows no page. */
import { FileCode2, FlaskConical } from "lucide-react";
import { operatorPartsMessages } from "../../i18n/en/pages/operator-parts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Badge, Notice } from "../../ui/surfaces.tsx";

export type Source = "file" | "console" | "demo";

/** Nothing for what the console made. */
export function SourceBadge({ source }: { readonly source: Source }) {
  const t = useMessages(operatorPartsMessages);
  if (source === "console") return null;
  return source === "file" ? (
    <Badge title={t("fileTitle")} icon={<FileCode2 aria-hidden className="size-3" />}>
      {t("sourceFile")}
    </Badge>
  ) : (
    <Badge tone="accent" title={t("demoTitle")} icon={<FlaskConical aria-hidden className="size-3" />}>
      {t("sourceDemo")}
    </Badge>
  );
}

/** Why it is read-only, or what the demo is; nothing for what the console made. */
export function SourceNotice({ source }: { readonly source: Source }) {
  const t = useMessages(operatorPartsMessages);
  if (source === "console") return null;
  const isFile = source === "file";
  return (
    <div className="mb-5">
      <Notice
        tone={isFile ? "neutral" : "accent"}
        icon={isFile ? <FileCode2 /> : <FlaskConical />}
        title={t(isFile ? "fileTitle" : "demoTitle")}
      >
        {t(isFile ? "fileText" : "demoText")}
      </Notice>
    </div>
  );
}
