/** A line of figures the height of a word. Only drawn: the figures are beside it. */

const [width, height] = [96, 24];

/** At most 60 points; more are joined. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const size = Math.ceil(values.length / 60);
  const joined: number[] = [];
  for (let at = 0; at < values.length; at += size)
    joined.push(values.slice(at, at + size).reduce((sum, value) => sum + value, 0));
  const highest = Math.max(0, ...joined);
  const step = joined.length > 1 ? width / (joined.length - 1) : 0;
  const y = (value: number): number =>
    highest === 0 ? height - 1 : height - 1 - (Math.max(0, value) / highest) * (height - 2);
  const points = joined.map((value, at) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <svg
      aria-hidden
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="inline-block"
    >
      <polyline points={points} fill="none" stroke="var(--accent)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
