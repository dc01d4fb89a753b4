import { createHash } from "node:crypto"

import type { Context } from "../../context.ts"
import { escapeHtml } from "../../faces/handbook/escape-html.ts"

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 1rem; display: grid; place-items: center; min-height: calc(100dvh - 2rem) }
main { width: 100%; max-width: 28rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
`
const SCRIPT = "document.forms[0].submit()"
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ")

/** A page shown to a browser on its way between a provider and the appliance. */
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
    /** Whether the browser follows the link immediately. */
    readonly isImmediate?: boolean
  },
): void {
  const path = escapeHtml(link.path)
  const head = isImmediate ? `<meta http-equiv="refresh" content="0;url=${path}">` : ""
  const body = `<p>${escapeHtml(text)}</p>\n<p><a href="${path}">${escapeHtml(link.text)}</a></p>`
  answer(ctx, { status, title, head, body })
}

/** A page that posts a form again to the same address, as a page of this appliance. */
export function showAgain(ctx: Context, form: URLSearchParams): void {
  const fields = [...form].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const body = `<form method="post" action="?again=1">
${fields.join("\n")}
<button>Continue</button>
</form>
<script>${SCRIPT}</script>`
  answer(ctx, { status: 200, title: "Continue signing in", head: "", body })
}

function answer(
  ctx: Context,
  {
    status,
    title,
    head,
    body,
  }: { readonly status: number; readonly title: string; readonly head: string; readonly body: string },
): void {
  ctx.status = status
  ctx.set({
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  })
  ctx.type = "text/html; charset=utf-8"
  ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`
}
