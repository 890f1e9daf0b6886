/** What every chart shows of one point: its figures beside the cursor, and the names of its colours. */
import type { ReactNode } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";

/** A colour with its name. */
export interface Named {
  readonly label: string;
  /** A colour of CSS. */
  readonly colour: string;
}

export interface ReadoutProps {
  /** Distance of the point from the left edge of the chart, in pixels, and the chart's width. */
  readonly left: number;
  readonly width: number;
  /** Which point it is: a time, a range. */
  readonly title: ReactNode;
  /** From the top down. */
  readonly rows: readonly (Named & { readonly text: ReactNode })[];
  readonly total?: ReactNode;
  /** Below the figures. */
  readonly children?: ReactNode;
}

function Swatch({ colour }: { readonly colour: string }) {
  return <span aria-hidden className="size-3 shrink-0 rounded-sm" style={{ background: colour }} />;
}

/** Beside the cursor, on the side with more room. Screen readers get the same from the slider's value. */
export function Readout({ left, width, title, rows, total, children }: ReadoutProps) {
  const t = useMessages(uiMessages);
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-2 z-10 max-w-[min(20rem,80%)] rounded-lg border border-line bg-raised px-3 py-2 text-small shadow-float"
      style={left > width / 2 ? { right: `calc(100% - ${left - 12}px)` } : { left: left + 12 }}
    >
      <p className="mb-1 font-medium">{title}</p>
      {rows.length > 0 && (
        <table className="figures w-full">
          <tbody>
            {rows.map(({ label, colour, text }) => (
              <tr key={label}>
                <td className="max-w-48 truncate pr-4">
                  <span className="inline-flex max-w-full items-center gap-1.5">
                    <Swatch colour={colour} />
                    <bdi className="truncate">{label}</bdi>
                  </span>
                </td>
                <td className="text-right whitespace-nowrap">{text}</td>
              </tr>
            ))}
            {total !== undefined && (
              <tr className="border-t border-line font-medium">
                <td className="pr-4">{t("total")}</td>
                <td className="text-right whitespace-nowrap">{total}</td>
              </tr>
            )}
          </tbody>
        </table>
      )}
      {children}
    </div>
  );
}

/** The colours of a chart, once. */
export function Legend({ names, children }: { readonly names: readonly Named[]; children?: ReactNode }) {
  return (
    <ul className="mt-2 flex flex-wrap justify-center gap-x-4 gap-y-1 text-small">
      {names.map(({ label, colour }) => (
        <li key={label} className="flex min-w-0 items-center gap-1.5">
          <Swatch colour={colour} />
          <bdi className="truncate">{label}</bdi>
        </li>
      ))}
      {children}
    </ul>
  );
}
