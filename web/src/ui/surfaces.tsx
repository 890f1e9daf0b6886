/** Surfaces and marks: page header, card, figure, badge, notice. Knows no page. */
import { type ReactNode, useId } from "react";
import { Link } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { useDocumentTitle } from "./document-title.ts";
import { ErrorBoundary } from "./error-boundary.tsx";

/** What a badge says by its colour. Never by colour alone: the text says it too. */
export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

const tones: Record<Tone, string> = {
  neutral: "bg-sunken text-muted dark:bg-hover",
  accent: "bg-accent-soft text-accent-ink",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
};

export interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly icon?: ReactNode;
  readonly title?: string | undefined;
}

/** A word in a pill. */
export function Badge({ tone = "neutral", children, icon, title }: BadgeProps) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex max-w-full items-center gap-1 rounded-md px-1.5 py-0.5 text-tiny leading-tight font-medium",
        tones[tone],
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}

const dots: Record<Tone, string> = {
  neutral: "bg-faint",
  accent: "bg-accent",
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
};

/** A state: a dot and its word. */
export function StatusBadge({ tone = "neutral", children, title }: BadgeProps) {
  return (
    <span title={title} className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={classNames("size-2 shrink-0 rounded-full", dots[tone])} />
      {children}
    </span>
  );
}

/** Keys to press, one after the other: `g k`, `Ctrl K`. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(" ").map((key, at) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: keys have a fixed order, and one may come twice.
          key={at}
          className="rounded border border-line bg-surface px-1.5 font-sans text-tiny leading-5 text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}

export interface CardProps {
  readonly title?: ReactNode;
  /** Beside the title: a link or a button. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
  /** No inner space: for tables and lists. */
  readonly flush?: boolean;
  readonly className?: string;
}

/** A surface for things that belong together. A fault while drawing stays inside it. */
export function Card({ title, action, children, flush = false, className }: CardProps) {
  return (
    <section
      className={classNames("min-w-0 rounded-xl border border-line bg-surface shadow-card", className)}
    >
      {(title !== undefined || action !== undefined) && (
        <header
          className={classNames(
            "flex flex-wrap items-center justify-between gap-2 px-5 pt-4",
            flush && "pb-3",
          )}
        >
          <h2 className="text-lead font-semibold">{title}</h2>
          {action}
        </header>
      )}
      <div className={flush ? "overflow-hidden rounded-b-xl" : "px-5 py-4"}>
        <ErrorBoundary>{children}</ErrorBoundary>
      </div>
    </section>
  );
}

export interface StatProps {
  readonly label: ReactNode;
  /** A figure: `Money`, `TokenCount`, text; a `Skeleton` while it loads. */
  readonly children: ReactNode;
  readonly note?: ReactNode;
  /** Where the rows behind the figure are. */
  readonly to?: string;
}

/** A figure with its label; links to the rows behind it, if there are any. */
export function Stat({ label, children, note, to }: StatProps) {
  const id = useId();
  const figure = (
    <span id={`${id}-figure`} className="figures text-2xl font-semibold tracking-tight">
      {children}
    </span>
  );
  return (
    <div className="row-span-3 grid min-w-0 grid-rows-subgrid gap-1 rounded-xl border border-line bg-surface px-5 py-4 shadow-card max-sm:px-4 max-sm:py-3 max-sm:last:odd:col-span-2">
      <span id={`${id}-label`} className="text-small text-muted">
        {label}
      </span>
      {to === undefined ? (
        figure
      ) : (
        <Link to={to} className="w-fit text-ink" labelledBy={`${id}-label ${id}-figure`}>
          {figure}
        </Link>
      )}
      {note !== undefined && <span className="text-small text-faint">{note}</span>}
    </div>
  );
}

/** A row of figures. Labels and notes of two lines leave the figures beside each other in line. */
export function StatRow({ children }: { readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))]">
      {children}
    </div>
  );
}

export interface PageHeaderProps {
  /** Becomes the title of the document, too. */
  readonly title: string;
  /** Shown instead of `title` when plain text is not enough. */
  readonly shown?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** A link to the page above. */
  readonly back?: { readonly to: string; readonly label: string };
}

/** The head of every page: its one `h1`, what it is for, its acts. Sets the document's title. */
export function PageHeader({ title, shown, children, actions, back }: PageHeaderProps) {
  useDocumentTitle(title);
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 max-w-3xl">
        {back !== undefined && (
          <Link to={back.to} className="mb-1 inline-block text-body">
            ← {back.label}
          </Link>
        )}
        <h1 tabIndex={-1} className="text-[1.6rem] leading-tight font-semibold tracking-tight outline-none">
          {shown ?? title}
        </h1>
        {children !== undefined && <div className="mt-1.5 text-pretty text-muted">{children}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

export interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly icon?: ReactNode;
  readonly action?: ReactNode;
}

/** Something to know before reading on: a low balance, a read-only thing. */
export function Notice({ tone = "neutral", title, children, icon, action }: NoticeProps) {
  return (
    <div
      className={classNames("flex flex-wrap items-start gap-x-4 gap-y-2 rounded-xl px-4 py-3", tones[tone])}
    >
      {icon !== undefined && (
        <span aria-hidden className="mt-0.5 shrink-0 [&>svg]:size-5">
          {icon}
        </span>
      )}
      <div className="min-w-0 flex-1">
        {title !== undefined && <p className="font-semibold">{title}</p>}
        {children}
      </div>
      {action}
    </div>
  );
}

/** Names and values beside each other: the facts of one thing. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [label: ReactNode, value: ReactNode])[];
}) {
  return (
    <dl className="grid grid-cols-[fit-content(45%)_1fr] gap-x-4 gap-y-1.5 sm:grid-cols-[minmax(8rem,max-content)_1fr] sm:gap-y-2">
      {rows.map(([label, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts have a fixed order and no other name.
        <div key={at} className="contents">
          <dt className="text-muted max-sm:pt-px max-sm:text-small">{label}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
