import type { MailBlock } from "./own-text.ts"

/** A message on its thread's page. */
export interface ShownMessage {
  readonly key: string
  readonly from: string
  /** Milliseconds since 1970; `null` if unknown. */
  readonly sentAt: number | null
  readonly blocks: readonly MailBlock[]
  readonly attached: readonly { readonly name: string; readonly href: string; readonly bytes: number }[]
}

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#666}
@media(prefers-color-scheme:dark){:root{--soft:#aaa}}
body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25}
section{border-top:1px solid var(--line);padding-top:.25rem}
h2{font-size:1rem;margin:.75rem 0}
h2 time{font-weight:normal;color:var(--soft)}
p{white-space:pre-line;margin:.75rem 0}
@media(max-width:45rem){p{white-space:normal}}
blockquote{margin:.75rem 0;padding-left:.75rem;border-left:3px solid var(--line);color:var(--soft)}
pre{overflow-x:auto;font-size:.85rem;overflow-wrap:normal}`

/** The HTML of a thread, used for display and for the index. */
export function threadPage(title: string, messages: readonly ShownMessage[]): string {
  const sections = messages.map(messageSection).join("\n")
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><article><h1>${escaped(title)}</h1>
${sections}
</article></main></body></html>
`
}

function messageSection({ key, from, sentAt, blocks, attached }: ShownMessage): string {
  const time =
    sentAt === null ? "" : `, <time datetime="${new Date(sentAt).toISOString()}">${timeText(sentAt)}</time>`
  const files = attached.map(
    ({ name, href, bytes }) => `<li><a href="${escaped(href)}">${escaped(name)}</a>, ${sizeText(bytes)}</li>`,
  )
  return `<section><h2 id="m-${key.slice(0, 8)}">${escaped(from === "" ? "Unknown sender" : from)}${time}</h2>
${blocks.map(blockHtml).join("\n")}${files.length === 0 ? "" : `\n<p>Attached:</p><ul>${files.join("")}</ul>`}
</section>`
}

/** In UTC, since a page is the same for everyone. */
const timeText = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`

const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Minimum length of a wrapped line. Shorter lines were ended by the author. */
const FULL_LINE = 50
const LIST = /^\s*(?:[-*•+]|\d{1,3}[.)]) +\S/
/** Preformatted lines: code, patches, tables and drawings. */
const SET = /^(?:\s{3,}|\t|[+-](?=\S)|@@ |[|]|.*\S {3,}\S)/

function blockHtml({ kind, lines }: MailBlock): string {
  const html =
    lines.length > 1 && lines.filter((line) => SET.test(line)).length * 2 > lines.length
      ? preHtml(lines)
      : flowHtml(lines)
  return kind === "quote" ? `<blockquote>${html}</blockquote>` : html
}

const preHtml = (lines: readonly string[]): string => `<pre>${escaped(lines.join("\n"))}</pre>`

/** For the index, wrapped lines are joined; a browser shows the lines as they are in the message. */
function flowHtml(lines: readonly string[]): string {
  const parts = lines.map((line, at) => {
    const next = lines[at + 1]
    if (next === undefined) return linked(line)
    return `${linked(line)}${line.length < FULL_LINE || LIST.test(next) ? "<br>" : "\n"}`
  })
  return `<p>${parts.join("")}</p>`
}

const ADDRESS = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}']/g

function linked(line: string): string {
  let html = ""
  let done = 0
  for (const { 0: address, index } of line.matchAll(ADDRESS)) {
    html += `${escaped(line.slice(done, index))}<a href="${escaped(address)}" rel="noreferrer">${escaped(address)}</a>`
    done = index + address.length
  }
  return html + escaped(line.slice(done))
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one]!).replaceAll(/[^\P{Cc}\n\t]|\uFFFE|\uFFFF/gu, " ")
