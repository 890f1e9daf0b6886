/**
 * Markdown written by models and people, shown safely. The parser loads when it is first
 * needed; until then the text is plain.
 */
import { lazyPart } from "./lazy-part.tsx";

const { Part: MarkdownBody } = lazyPart(() =>
  import("./markdown-body.tsx").then((file) => file.MarkdownBody),
);

/** Sanitised: no HTML, no script, no foreign images; links open elsewhere. */
export function Markdown({ text }: { readonly text: string }) {
  return <MarkdownBody text={text} waiting={() => <div className="whitespace-pre-wrap">{text}</div>} />;
}
