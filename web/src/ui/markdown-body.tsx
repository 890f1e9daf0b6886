/**
 * The parser and the looks of Markdown; loaded by `markdown.tsx`. HTML in the text
 * is shown as nothing, images as links.
 */
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";

function Picture({ src, alt }: { readonly src?: string | undefined; readonly alt?: string | undefined }) {
  const t = useMessages(uiMessages);
  const name = alt === undefined || alt === "" ? t("imageLeftOut") : alt;
  if (src === undefined || src === "") return <span className="text-muted">[{name}]</span>;
  return (
    <a href={src} target="_blank" rel="noreferrer nofollow" className="text-accent underline">
      [{name}]
    </a>
  );
}

const components: Components = {
  // An address that was taken away (`javascript:`) leaves plain text.
  a: ({ href, children }) =>
    href === undefined || href === "" ? (
      <span>{children}</span>
    ) : (
      <a
        href={href}
        target="_blank"
        rel="noreferrer nofollow"
        className="text-accent underline underline-offset-2"
      >
        {children}
      </a>
    ),
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : undefined} alt={alt} />,
  h1: ({ children }) => <h3 className="mt-4 text-lg font-semibold">{children}</h3>,
  h2: ({ children }) => <h4 className="mt-4 text-base font-semibold">{children}</h4>,
  h3: ({ children }) => <h5 className="mt-3 font-semibold">{children}</h5>,
  ul: ({ children }) => <ul className="list-disc pl-6">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal pl-6">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line pl-4 text-muted">{children}</blockquote>
  ),
  code: ({ children }) => (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em] dark:bg-hover">{children}</code>
  ),
  pre: ({ children }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line bg-sunken p-4 text-small [&_code]:bg-transparent [&_code]:p-0"
    >
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="border-collapse [&_td]:border [&_td]:border-line [&_td]:px-2.5 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:bg-sunken [&_th]:px-2.5 [&_th]:py-1 [&_th]:text-left">
        {children}
      </table>
    </div>
  ),
  hr: () => <hr className="border-line" />,
};

/** See `Markdown`. */
export function MarkdownBody({ text }: { readonly text: string }) {
  return (
    <div dir="auto" className="flex min-w-0 flex-col gap-3">
      <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
