/**
 * Texts that try to execute in the browser (P27). Each calls `__ran("its name")` if it succeeds, or requests
 * a trap's URL. Each combines an attack with a wrapping.
 */

export interface Payload {
  readonly name: string;
  readonly text: string;
}

/** `CALL` becomes the call, `TRAP` a forbidden address. */
const attempts: Readonly<Record<string, string>> = {
  script: "<script>CALL</script>",
  scriptSrc: '<script src="TRAP/s.js"></script>',
  imgError: "<img src=x onerror=CALL>",
  imgErrorQuoted: `<img src="x" onerror="CALL" alt="">`,
  imgLoad: "<img src=TRAP/i.png onload=CALL>",
  svgLoad: "<svg onload=CALL><circle r=1></svg>",
  svgScript: "<svg><script>CALL</script></svg>",
  svgAnimate: '<svg><a><animate attributeName=href values="javascript:CALL"/><text>x</text></a></svg>',
  svgUse: `<svg><use href="data:image/svg+xml,<svg id='x' onload='CALL'/>#x"/></svg>`,
  mathAction: '<math><maction actiontype="statusline#javascript:CALL">x</maction></math>',
  iframe: '<iframe src="javascript:CALL"></iframe>',
  iframeDoc: '<iframe srcdoc="<script>parent.CALL</script>"></iframe>',
  iframeTrap: '<iframe src="TRAP/f"></iframe>',
  object: '<object data="javascript:CALL"></object>',
  embed: '<embed src="javascript:CALL">',
  details: "<details open ontoggle=CALL>x</details>",
  focus: "<input autofocus onfocus=CALL>",
  video: "<video><source onerror=CALL></video>",
  body: "<body onload=CALL>",
  style: "<style>@import 'TRAP/c.css';</style>",
  styleAttribute: `<p style="background:url(TRAP/b.png)">x</p>`,
  link: '<link rel=stylesheet href="TRAP/l.css">',
  metaRefresh: '<meta http-equiv=refresh content="0;url=javascript:CALL">',
  base: '<base href="TRAP/">',
  form: '<form action="javascript:CALL"><button autofocus>x</button></form>',
  anchor: '<a href="javascript:CALL">click</a>',
  anchorSpaced: '<a href=" java\tscript:CALL">click</a>',
  anchorData: '<a href="data:text/html,<script>opener.CALL</script>">click</a>',
  markdownLink: "[click](javascript:CALL)",
  markdownLinkEncoded: "[click](&#106;avascript:CALL)",
  markdownLinkVb: "[click](vbscript:CALL)",
  markdownLinkData: "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  markdownImage: "![x](TRAP/m.png)",
  markdownImageBreak: '![x"onerror="CALL](x)',
  markdownTitle: `[x](https://example.com "onmouseover=CALL//")`,
  markdownReference: "[click][1]\n\n[1]: javascript:CALL",
  autolink: "<javascript:CALL>",
  footnote: "x[^1]\n\n[^1]: <img src=x onerror=CALL>",
  fence: '```"><img src=x onerror=CALL>\nx\n```',
  fenceHtml: "```html\n<img src=x onerror=CALL>\n```",
  table: "| <img src=x onerror=CALL> | b |\n| - | - |\n| [x](javascript:CALL) | d |",
  comment: "<!--><img src=x onerror=CALL>-->",
  template:
    '<template><img src=x onerror=CALL></template><noscript><p title="</noscript><img src=x onerror=CALL>">',
  entities: "&lt;img src=x onerror=CALL&gt;",
  mustache: "{{constructor.constructor('CALL')()}}",
  dollar: "\u0024{CALL}",
  prototype: "__proto__",
  formula: '=HYPERLINK("TRAP/x","click")',
  bidi: "\u202e<img src=x onerror=CALL>\u202c",
  nul: "<img src=x onerr\u0000or=CALL>",
};

/** Text that hides an attempt. */
const wrappings: Readonly<Record<string, (attempt: string) => string>> = {
  plain: (attempt) => attempt,
  afterQuote: (attempt) => `">'>${attempt}`,
  closingTags: (attempt) => `</title></textarea></style></script></template>${attempt}`,
  upperCase: (attempt) =>
    attempt.replace(/<(\/?)([a-z]+)/g, (_, slash, tag) => `<${slash}${tag.toUpperCase()}`),
  inMarkdown: (attempt) => `**bold** ${attempt} _end_`,
  inList: (attempt) => `- one\n- ${attempt}\n\n> ${attempt}`,
};

/** All 300 combinations, named after their parts. */
export function payloads(trap: string): Payload[] {
  return Object.entries(attempts).flatMap(([attemptName, attempt]) =>
    Object.entries(wrappings).map(([wrappingName, wrap]) => {
      const name = `${attemptName}-${wrappingName}`;
      const text = wrap(attempt).replaceAll("CALL", `__ran('${name}')`).replaceAll("TRAP", trap);
      // The visible name shows that the text was on a page.
      return { name, text: `${text} ${name}` };
    }),
  );
}
