/**
 * Answers for pages without sign-in, kept while what they show is the same: a visitor who asks a thousand
 * times costs one rendering every few seconds. Knows no connection.
 */
import { createHash } from "node:crypto";
import type { ControlContext } from "../context.ts";
import { factsOf, isOpen, type PublicFacts, siteOf } from "./facts.ts";
import { renderPage, renderRobots, renderSitemap } from "./render.ts";
import { languageOf } from "./words.ts";

/** Bodies kept at once; each has at most the list of models. */
const keptMax = 256;

export interface PublicAnswer {
  readonly status: 200 | 404;
  readonly type: string;
  readonly body: Buffer;
  /** Quoted; changes with the body. */
  readonly etag: string;
  /** Present when the body is in a language of several. */
  readonly language?: string | undefined;
}

export interface PublicAsk {
  readonly path: string;
  readonly acceptLanguage: string | undefined;
  /** The console's page. */
  readonly template: Buffer;
}

function answerWith(text: string, type: string, more: Partial<PublicAnswer> = {}): PublicAnswer {
  const body = Buffer.from(text);
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { status: 200, type: `${type}; charset=utf-8`, body, etag, ...more };
}

/** Resolves with undefined where the console's page is the answer: the plaza is not public. */
export type AnswerPublic = (ask: PublicAsk) => Promise<PublicAnswer | undefined>;

export function createPublicAnswers(context: ControlContext): AnswerPublic {
  let of: PublicFacts | undefined;
  const bodies = new Map<string, PublicAnswer>();

  /** The body for these facts, made once. */
  function keptFor(facts: PublicFacts, key: string, make: () => PublicAnswer | undefined) {
    if (facts !== of) bodies.clear();
    of = facts;
    const known = bodies.get(key);
    if (known !== undefined) return known;
    const made = make();
    // Those of lists cost the most, so pages of models never displace them.
    if (made !== undefined && (bodies.size < keptMax || !key.includes("/models/"))) bodies.set(key, made);
    return made;
  }

  return async ({ path, acceptLanguage, template }) => {
    const open = await isOpen(context);
    if (path === "/robots.txt") return answerWith(renderRobots(open, siteOf(context.config)), "text/plain");
    if (path === "/sitemap.xml") {
      const facts = open ? await factsOf(context) : undefined;
      const make = (text: string | undefined) =>
        text === undefined ? undefined : answerWith(text, "application/xml");
      const found = facts && keptFor(facts, path, () => make(renderSitemap(facts)));
      return found ?? answerWith("", "text/plain", { status: 404 });
    }
    if (!open) return undefined;
    const facts = await factsOf(context);
    const language = languageOf(acceptLanguage);
    const found = keptFor(facts, `${language} ${path}`, () => {
      const text = renderPage(path, template.toString(), facts, language);
      return text === undefined ? undefined : answerWith(text, "text/html", { language });
    });
    return found ?? answerWith(template.toString(), "text/html", { status: 404 });
  };
}
