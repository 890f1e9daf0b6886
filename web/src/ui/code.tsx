/** Text to copy and code to read. Knows no page. */
import { Check, Copy } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button, type ButtonSize, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { colour } from "./code-colours.ts";

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  // Plain http on another host has no clipboard; a selected field still copies.
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr-only";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

export interface CopyButtonProps {
  /** What is copied. */
  readonly text: string;
  /** Names what it copies, as in "Copy the base URL". */
  readonly label?: string;
  /** Written on it; without it, it is an icon. */
  readonly children?: ReactNode;
  readonly size?: ButtonSize;
}

/** Copies a text and says so. */
export function CopyButton({ text, label, children, size = "small" }: CopyButtonProps) {
  const t = useMessages(uiMessages);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void copyText(text).then(() => setCopied(true));
  const icon = isCopied ? (
    <Check aria-hidden className="size-4 text-good" />
  ) : (
    <Copy aria-hidden className="size-4" />
  );
  const name = isCopied ? t("copied") : (label ?? t("copy"));
  return (
    <>
      {children === undefined ? (
        <IconButton label={name} size={size} onClick={copy}>
          {icon}
        </IconButton>
      ) : (
        <Button size={size} icon={icon} onClick={copy}>
          {isCopied ? t("copied") : children}
        </Button>
      )}
      <span aria-live="polite" className="sr-only">
        {isCopied ? t("copied") : ""}
      </span>
    </>
  );
}

/** An id or address in one line with its copy button. */
export function Copyable({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <span className="-my-1 inline-flex max-w-full min-w-0 items-center gap-1 align-middle">
      <code className="min-w-0 truncate font-mono text-[0.9em]" title={text}>
        {text}
      </code>
      <CopyButton text={text} {...(label === undefined ? {} : { label })} />
    </span>
  );
}

export interface CodeBlockProps {
  readonly code: string;
  /** For the colours; text stays plain. */
  readonly language?: "bash" | "python" | "typescript" | "json" | "text";
  /** Copied in place of `code`: the same with the real key in it. */
  readonly copy?: string;
  readonly label?: string;
  readonly className?: string;
}

/** Code with a copy button. */
export function CodeBlock({ code, language = "text", copy, label, className }: CodeBlockProps) {
  return (
    <div className={classNames("relative min-w-0 rounded-xl border border-line bg-sunken", className)}>
      <div className="absolute top-1.5 right-1.5 rounded-lg bg-sunken">
        <CopyButton text={copy ?? code} {...(label === undefined ? {} : { label })} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard. */}
      <pre tabIndex={0} className="overflow-x-auto p-4 pr-12 font-mono text-small leading-relaxed">
        <code>
          {colour(code, language).map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have only their place.
            <span key={at} className={piece.className}>
              {piece.text}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}
