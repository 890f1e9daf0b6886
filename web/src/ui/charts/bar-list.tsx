/** Names with counts, and a bar for each as long as its share of the largest. A table for screen readers. */
import type { ReactNode } from "react";
import { TokenCount } from "../figures.tsx";

export interface BarRow {
  readonly key: string;
  readonly name: ReactNode;
  /** Below the name. */
  readonly note?: ReactNode;
  readonly count: number;
}

export interface BarListProps {
  /** Read aloud, with the two columns. */
  readonly label: string;
  readonly nameHeader: string;
  readonly countHeader: string;
  readonly rows: readonly BarRow[];
  /** One of the theme's colours of series, 1 to 8. */
  readonly colour: number;
  /** Shown without rows. */
  readonly empty: string;
}

/** See above. */
export function BarList({ label, nameHeader, countHeader, rows, colour, empty }: BarListProps) {
  if (rows.length === 0) return <p className="text-muted">{empty}</p>;
  const largest = Math.max(...rows.map(({ count }) => count));
  return (
    <table className="w-full table-fixed" aria-label={label}>
      <colgroup>
        <col />
        <col className="w-16" />
      </colgroup>
      <thead className="sr-only">
        <tr>
          <th scope="col">{nameHeader}</th>
          <th scope="col">{countHeader}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, note, count }) => (
          <tr key={key}>
            <th scope="row" className="py-1.5 pr-3 text-left align-top font-normal">
              <span className="block truncate">{name}</span>
              {note !== undefined && <span className="block truncate text-small text-muted">{note}</span>}
              <span aria-hidden className="mt-1 block h-1.5 rounded-full bg-sunken">
                <span
                  className="block h-full rounded-full"
                  style={{
                    width: `${Math.max(1, (count / largest) * 100)}%`,
                    background: `var(--series-${colour})`,
                  }}
                />
              </span>
            </th>
            <td className="py-1.5 text-right align-top font-medium">
              <TokenCount value={count} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
