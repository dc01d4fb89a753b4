import { escapeHtml } from "../markup/from-html.ts"

const MAX_DEPTH = 5
/** The characters allowed before and after emphasis (Org Syntax: text markup). */
const BEFORE = String.raw`(?<=^|[\s\-('"{\u2014])`
const BEHIND = String.raw`(?=$|[\s\-.,;:!?'")}\\[\u2014])`

const MARKED = new RegExp(
  [
    /\[\[(?<target>(?:[^[\]\\]|\\.|\[[^[\]]{0,200}\]){1,2000})\](?:\[(?<label>[^]{1,1000}?)\])?\]/,
    /\[fn:(?<note>[\w-]{0,60})(?::(?<noted>[^[\]]{1,1000}))?\]/,
    /<<<?[^<>\n]{1,200}>>>?/,
    /@@(?<backend>[\w-]{1,20}):(?<exported>[^@\n]{0,500})@@/,
    /\{\{\{(?<macro>[^{}]{1,300})\}\}\}/,
    /\\\((?<math>(?:[^\\]|\\(?!\))){1,500})\\\)|\\\[(?<display>(?:[^\\]|\\(?!\])){1,500})\\\]/,
    new RegExp(
      `${BEFORE}(?<mark>[*/_+=~])(?=\\S)(?<inside>[^\\n]{0,500}?(?:\\n[^\\n]{0,500}?)?\\S)\\k<mark>${BEHIND}`,
    ),
    /<(?<angled>(?:https?|mailto|ftp):[^<>\s]{1,2000})>/,
    /(?<address>\bhttps?:\/\/[^\s<>"'`\][]{1,2000})/,
    /[<[](?<time>\d{4}-\d\d-\d\d(?: [\p{L}.]{1,10})?(?: \d\d?:\d\d(?:-\d\d?:\d\d)?)?)(?: [.+]{0,2}\+?\d+[hdwmy])?[>\]]/u,
    /\\(?<entity>[A-Za-z]{2,20})(?:\{\}|(?![A-Za-z]))/,
    /\\\\[ \t]*$/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gmu",
)

const TAGS: Readonly<Record<string, string>> = { "*": "strong", "/": "em", "+": "del" }
const ENTITIES: Readonly<Record<string, string>> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", lambda: "λ", mu: "μ", pi: "π", sigma: "σ", omega: "ω", Delta: "Δ", Sigma: "Σ", Omega: "Ω",
  rarr: "→", larr: "←", uarr: "↑", darr: "↓", rArr: "⇒", to: "→", times: "×", deg: "°", pm: "±", le: "≤", ge: "≥", ne: "≠", infin: "∞",
  nbsp: " ", mdash: "—", ndash: "–", hellip: "…", dots: "…", euro: "€", copy: "©", reg: "®", trade: "™", sect: "§", para: "¶", middot: "·",
  amp: "&", lt: "<", gt: ">", under: "_", vert: "|", slash: "/", plus: "+", star: "*", ast: "*", tilde: "~", equal: "=", dollar: "$",
  backslash: "\\", check: "✓", checkmark: "✓", LaTeX: "LaTeX", TeX: "TeX", emsp: " ", ensp: " ", shy: "", zwnj: "",
} // prettier-ignore

/** A piece of Org text as HTML. For links with abbreviations and links to places in the file, only the label is kept. */
export function orgInlineHtml(text: string, depth = 0): string {
  let html = ""
  let from = 0
  for (const match of text.matchAll(MARKED)) {
    html += escapeHtml(text.slice(from, match.index)) + markedHtml(match, depth)
    from = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(from))
}

function markedHtml(match: RegExpExecArray, depth: number): string {
  const groups = match.groups!
  const inner = (text: string) => (depth < MAX_DEPTH ? orgInlineHtml(text, depth + 1) : escapeHtml(text))
  if (groups["target"] !== undefined) return linkHtml(groups["target"], groups["label"], inner)
  if (groups["note"] !== undefined)
    return groups["noted"] === undefined
      ? escapeHtml(`[${groups["note"]}]`)
      : `(${inner(groups["noted"].trim())})`
  const math = groups["math"] ?? groups["display"]
  if (math !== undefined) return `$${escapeHtml(math.trim())}$`
  const { mark, inside = "" } = groups
  if (mark === "=" || mark === "~") return `<code>${escapeHtml(inside)}</code>`
  if (mark === "_") return inner(inside)
  if (mark !== undefined) return `<${TAGS[mark]}>${inner(inside)}</${TAGS[mark]}>`
  const address = groups["angled"] ?? groups["address"]?.replace(/[.,;:!?)]+$/, "")
  if (address !== undefined) {
    const rest = groups["angled"] === undefined ? match[0].slice(address.length) : ""
    return `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>${escapeHtml(rest)}`
  }
  if (groups["time"] !== undefined) return escapeHtml(groups["time"])
  if (groups["entity"] !== undefined) return escapeHtml(ENTITIES[groups["entity"]] ?? match[0])
  if (groups["exported"] !== undefined)
    return groups["backend"] === "html" ? groups["exported"].replace(/<[^<>]*>/g, "") : ""
  if (groups["macro"] !== undefined) return macroHtml(groups["macro"], inner)
  return match[0].startsWith("\\\\") ? "<br>" : ""
}

/** Org's own manual uses Texinfo macros such as `kbd(C-c)`: their argument is shown. Other macros are defined elsewhere. */
function macroHtml(macro: string, inner: (text: string) => string): string {
  const [, name = "", argument] = /^([\w-]+)(?:\(([^]*)\))?$/.exec(macro) ?? []
  if (argument === undefined) return ""
  const text = argument.replaceAll("\\,", ",").replace(/\s+/g, " ")
  return /^(?:kbd|key|command|file|code|samp|var)/.test(name)
    ? `<code>${escapeHtml(text)}</code>`
    : inner(text)
}

const IMAGE = /\.(?:png|jpe?g|gif|svg|webp|bmp|avif)$/i

function linkHtml(target: string, label: string | undefined, inner: (text: string) => string): string {
  const address = target.replace(/\\([[\]\\])/g, "$1")
  if (label === undefined && IMAGE.test(address)) return ""
  const isPlace = /^[*#]/.test(address)
  // `kbd:`, `doom-package:` and similar abbreviations belong to one person or project.
  const shown =
    label === undefined
      ? escapeHtml(isPlace ? address.slice(1) : address.replace(/^[a-z][\w+-]*:(?!\/\/)/, ""))
      : inner(label)
  const file = /^(?:file:|\.{0,2}\/)(.*)$/.exec(address)
  const url = /^(?:https?|mailto|ftp):/.test(address)
    ? address
    : file === null
      ? null
      : address.replace(/^file:/, "").replace(/::.*$/, "")
  return url === null ? shown : `<a href="${escapeHtml(url)}">${shown}</a>`
}
