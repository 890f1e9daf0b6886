/** What a place shows instead of its content: nothing yet, failed, loading. Knows no page. */
import { CircleAlert, CloudOff, RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/error.ts";
import { formatDuration } from "../format/time.ts";
import { uiMessages } from "../i18n/en/ui.ts";
import { useLanguage } from "../i18n/language.ts";
import { useMessages } from "../i18n/messages.ts";
import { serverText } from "../i18n/server-text.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

export interface EmptyStateProps {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** A button or link: what to do about it. */
  readonly action?: ReactNode;
  readonly icon?: ReactNode;
}

/** There is nothing, and why, and what to do. */
export function EmptyState({ title, children, action, icon }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      {icon !== undefined && (
        <div aria-hidden className="mb-1 text-faint [&>svg]:size-8">
          {icon}
        </div>
      )}
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-md text-muted">{children}</div>}
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** An error's text, in the page's language if the message is Plaza's. */
export function useErrorText(): (error: unknown) => string {
  const t = useMessages(uiMessages);
  const language = useLanguage();
  return (error) => {
    if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
    if (error.code === "network_lost") return t("networkLost");
    if (error.code === "page_not_loaded") return t("pageNotLoaded");
    if (error.code === "changed_meanwhile") return t("changedMeanwhile");
    const wait =
      error.retryAfterMs === null || error.status !== 429
        ? ""
        : ` ${t("retryIn", { wait: formatDuration(error.retryAfterMs, language) })}`;
    return `${serverText(error.message, language, error.messageRef)}${wait}`;
  };
}

/** One error in a few words, inside a form or dialog; read aloud when it comes. */
export function ErrorNote({ error, className }: { readonly error: unknown; readonly className?: string }) {
  const textOf = useErrorText();
  const t = useMessages(uiMessages);
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <div
      role="alert"
      className={classNames("flex items-start gap-2 rounded-lg bg-bad-soft px-3 py-2 text-bad", className)}
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        {textOf(error)}
        {requestId !== null && (
          <span className="block font-mono text-tiny">
            {t("requestId")}: {requestId}
          </span>
        )}
      </span>
    </div>
  );
}

export interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly title?: string;
}

/** A place that could not be loaded, with a way to try again. */
export function ErrorState({ error, onRetry, title }: ErrorStateProps) {
  const t = useMessages(uiMessages);
  const textOf = useErrorText();
  const requestId = error instanceof ApiError ? error.requestId : null;
  const isOffline = error instanceof ApiError && error.status === 0;
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      {isOffline ? (
        <CloudOff aria-hidden className="size-8 text-faint" />
      ) : (
        <CircleAlert aria-hidden className="size-8 text-bad" />
      )}
      <p className="font-medium">{title ?? t("failedTitle")}</p>
      <p className="max-w-md text-muted">{textOf(error)}</p>
      {requestId !== null && (
        <p className="font-mono text-tiny text-faint">
          {t("requestId")}: {requestId}
        </p>
      )}
      {onRetry !== undefined && (
        <Button className="mt-3" icon={<RotateCcw aria-hidden className="size-4" />} onClick={onRetry}>
          {t("retry")}
        </Button>
      )}
    </div>
  );
}

/** A grey bar where content will be; give it a size by class, as in `h-5 w-32`. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span
      aria-hidden
      className={classNames(
        "block animate-[pulse-soft_1.6s_ease-in-out_infinite] rounded-md bg-sunken dark:bg-hover",
        className ?? "h-5 w-full",
      )}
    />
  );
}

export interface LoadedProps<Value> {
  readonly query: {
    readonly data: Value | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** Shown while there is nothing yet; a few grey bars unless given. */
  readonly skeleton?: ReactNode;
  readonly children: (value: Value) => ReactNode;
}

/** The content of a query: cached content first, else bars, else the error with a retry. */
export function Loaded<Value>({ query, skeleton, children }: LoadedProps<Value>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null && query.error !== undefined) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    skeleton ?? (
      <div className="flex flex-col gap-3 p-1">
        <Skeleton className="h-6 w-1/3" />
        <Skeleton />
        <Skeleton className="h-5 w-2/3" />
      </div>
    )
  );
}
