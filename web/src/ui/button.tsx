/** What is pressed: buttons and links, in the same styles. Knows no page. */
import { Download, LoaderCircle } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { PageLink } from "./navigation.tsx";

export type ButtonVariant = "primary" | "plain" | "quiet" | "danger";
export type ButtonSize = "small" | "normal";

const variants: Record<ButtonVariant, string> = {
  primary: "bg-accent-strong text-on-accent border-transparent hover:brightness-110",
  plain: "bg-surface text-ink border-control hover:bg-hover",
  quiet: "bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-bad-fill text-on-accent border-transparent hover:brightness-110",
};

const sizes: Record<ButtonSize, string> = {
  small: "min-h-8 px-2.5 text-small gap-1.5",
  normal: "min-h-[2.4rem] px-3.5 gap-2",
};

/** Button classes, for links and triggers that look like one. */
export function buttonClass(variant: ButtonVariant = "plain", size: ButtonSize = "normal"): string {
  return classNames(
    "inline-flex items-center justify-center rounded-lg border font-medium whitespace-nowrap select-none",
    "transition-[background-color,filter] duration-100 disabled:opacity-55",
    variants[variant],
    sizes[size],
  );
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  /** An icon before the text. */
  readonly icon?: ReactNode;
  /** Work is under way: shown, and not pressed twice. */
  readonly busy?: boolean;
}

/** A button; `type="button"` unless said otherwise. */
export function Button({ variant, size, icon, busy = false, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy || undefined}
      className={classNames(buttonClass(variant, size), className)}
    >
      {busy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "icon" | "children"> {
  /** Read aloud, and shown as the title. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button that is only an icon. */
export function IconButton({
  label,
  variant = "quiet",
  size = "normal",
  children,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classNames(
        buttonClass(variant, size),
        size === "small" ? "!px-0 w-8" : "!px-0 w-[2.4rem]",
        "shrink-0",
        className,
      )}
    >
      {children}
    </button>
  );
}

export interface LinkProps {
  /** A path of the console, as in `/keys/abc?tab=usage`; with `://` it opens elsewhere. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  /** Looks like a button. */
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: ReactNode;
  readonly title?: string;
  /** Ids of the elements that label it, if its own text is not enough. */
  readonly labelledBy?: string;
}

/** A link to a page of the console, or elsewhere. */
export function Link({ to, children, className, variant, size, icon, title, labelledBy }: LinkProps) {
  const classes = classNames(
    variant === undefined ? "text-accent hover:underline underline-offset-2" : buttonClass(variant, size),
    className,
  );
  if (to.includes("://")) {
    return (
      <a
        href={to}
        target="_blank"
        rel="noreferrer"
        className={classes}
        title={title}
        aria-labelledby={labelledBy}
      >
        {icon}
        {children}
      </a>
    );
  }
  return (
    <PageLink to={to} className={classes} title={title} aria-labelledby={labelledBy}>
      {icon}
      {children}
    </PageLink>
  );
}

/**
 * A link that downloads, in the look of a button. `to` is an address of the API:
 * `addressOf("get /requests.csv", { query })`.
 */
export function DownloadLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <a href={to} download className={buttonClass("plain")}>
      <Download aria-hidden className="size-4" />
      {children}
    </a>
  );
}
