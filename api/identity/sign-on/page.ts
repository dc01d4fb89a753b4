import { createHash } from "node:crypto"

import type { Context } from "../../context.ts"
import { escapeHtml } from "../../faces/handbook/escape-html.ts"

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 1rem; display: grid; place-items: center; min-height: calc(100dvh - 2rem) }
main { width: 100%; max-width: 28rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
`
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ")

/** A page between a provider and the appliance. It has no script. */
export function showPage(
  ctx: Context,
  {
    status,
    title,
    text,
    link,
    isImmediate = false,
  }: {
    readonly status: number
    readonly title: string
    readonly text: string
    readonly link: { readonly path: string; readonly text: string }
    /** Whether the browser follows the link at once. */
    readonly isImmediate?: boolean
  },
): void {
  ctx.status = status
  ctx.set({
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  })
  const path = escapeHtml(link.path)
  ctx.type = "text/html; charset=utf-8"
  ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
${isImmediate ? `<meta http-equiv="refresh" content="0;url=${path}">` : ""}
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<p><a href="${path}">${escapeHtml(link.text)}</a></p>
</main></body></html>
`
}
