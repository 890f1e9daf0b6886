/**
 * Markdown written by models and people, shown safely. The parser loads when it is first
 * needed; until then the text is plain.
 */
import { lazy, Suspense } from "react";

const MarkdownBody = lazy(() =>
  import("./markdown-body.tsx").then((part) => ({ default: part.MarkdownBody })),
);

/** Sanitised: no HTML, no script, no foreign images; links open elsewhere. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
      <MarkdownBody text={text} />
    </Suspense>
  );
}
