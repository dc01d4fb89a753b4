import { Marked, type Tokens } from "marked"

import { offLoop } from "#base/process/threads/off-loop.ts"

import { escapeHtml } from "../../faces/handbook/escape-html.ts"

/**
 * A page as HTML that is safe to show, made only from its Markdown. HTML in the Markdown is shown as text; links point
 * only to web and mail addresses, images come from the web, and no scripts run.
 * @param base the address that relative links are relative to
 */
export function readingHtml(markdown: string, base: string): string {
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }: Tokens.Link) {
        const content = this.parser.parseInline(tokens)
        const to = addressOf(href, base, LINKED)
        return to === null
          ? content
          : `<a href="${escapeHtml(to)}" rel="nofollow noopener noreferrer">${content}</a>`
      },
      image({ href, text }: Tokens.Image) {
        const from = addressOf(href, base, SHOWN)
        if (from === null) return escapeHtml(text)
        return `<img src="${escapeHtml(from)}" alt="${escapeHtml(text)}" loading="lazy" referrerpolicy="no-referrer">`
      },
    },
  })
  return marked.parse(markdown, { async: false })
}

const writeHtml = offLoop(import.meta.url, readingHtml)

/**
 * {@link readingHtml} in a thread, whatever the length, because the author of a page decides how long the parser
 * takes.
 * @throws WorkError when it takes too long
 */
export const writeAsHtml = (markdown: string, base: string, signal?: AbortSignal): Promise<string> =>
  writeHtml({ chars: Infinity, signal }, markdown, base)

/** A document that contains only this HTML. */
export const htmlDocument = ({
  title,
  url,
  language,
  body,
}: {
  readonly title: string
  readonly url: string
  readonly language: string | null
  readonly body: string
}): string => `<!doctype html>
<html${language === null ? "" : ` lang="${escapeHtml(language)}"`}>
<head>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="canonical" href="${escapeHtml(url)}">
</head>
<body>
<article>
${body}</article>
</body>
</html>
`

const LINKED = new Set(["http:", "https:", "mailto:"])
const SHOWN = new Set(["http:", "https:"])

function addressOf(href: string, base: string, schemes: ReadonlySet<string>): string | null {
  const url = URL.parse(href, base)
  return url !== null && schemes.has(url.protocol) ? url.href : null
}
