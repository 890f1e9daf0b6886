/** Where in the first run one is: three steps. */
import { linkMessages } from "../../i18n/en/link.ts";
import { useMessages } from "../../i18n/messages.ts";

const steps = [1, 2, 3] as const;

/** The step one is at, as text and as bars. */
export function Steps({ at }: { readonly at: (typeof steps)[number] }) {
  const t = useMessages(linkMessages);
  return (
    <p className="mb-2 flex flex-col items-center gap-2 text-small font-medium text-muted">
      <span aria-hidden className="flex gap-1.5">
        {steps.map((step) => (
          <span key={step} className={`h-1.5 w-10 rounded-full ${step <= at ? "bg-accent" : "bg-line"}`} />
        ))}
      </span>
      {t("step", { at, of: steps.length })}
    </p>
  );
}
