import { escapeHtml } from "../markup/from-html.ts"

/** Targets and substitutions of a document, to which its text refers. */
export interface Names {
  /** Addresses by the name of their target, in lower case. */
  readonly targets: ReadonlyMap<string, string>
  /** The addresses of targets without a name, in the order of their references; each reference removes one. */
  readonly anonymous: string[]
  /** The text that replaces `|name|`. */
  readonly substitutions: ReadonlyMap<string, string>
}

const MAX_DEPTH = 5

/** Marked text. Each branch ends within one paragraph and a few thousand characters. */
const MARKED = new RegExp(
  [
    /\\(?<escaped>[^])/,
    /``(?<literal>(?:[^`]|`(?!`)){1,3000})``/,
    /:(?<role>[A-Za-z][\w:+.-]{0,60}):`(?<roled>(?:[^`\\]|\\[^]){1,2000})`/,
    /(?<![\p{L}\p{N}])`(?<quoted>(?:[^`\\]|\\[^]){1,2000})`(?:(?<link>__?)(?![\p{L}\p{N}])|:(?<after>[A-Za-z][\w:+.-]{0,60}):)?/u,
    /\*\*(?=\S)(?<strong>(?:[^*\\]|\\[^]|\*(?!\*)){1,2000}?)(?<=\S)\*\*/,
    /(?<![\p{L}\p{N}*])\*(?=[^\s*])(?<emphasis>(?:[^*\\]|\\[^]){1,2000}?)(?<=\S)\*(?![\p{L}\p{N}])/u,
    /\[(?<note>\d{1,4}|#[\w-]{0,60}|\*|[A-Za-z][\w.-]{0,60})\]_(?!\w)/,
    /(?<![\p{L}\p{N}|])\|(?<substitution>(?=[^\s|])[^|\n]{1,100}?)\|(?:__?)?(?![|])/u,
    /(?<address>\bhttps?:\/\/[^\s<>"'`\\]{1,2000})/,
    /(?<![\p{L}\p{N}_])(?<word>[\p{L}\p{N}](?:[\p{L}\p{N}.+-]|_(?=[\p{L}\p{N}])){0,100})__?(?![\p{L}\p{N}_])/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
)

/** Roles whose text is a name in code. For a role in a domain (`py:func`), its last part is compared. */
const CODE_ROLES = new Set(
  (
    "attr attribute class code command cpp data envvar event exc expr file filepath func function keyword kbd lexer literal makevar meth method " +
    "mod module obj option paramref prop prog program py python regexp samp setting source src struct term-code token type var confval macro member enum enumerator djadmin djadminopt lookup setting tfilter ttag"
  ).split(" "),
)

/** A piece of reStructuredText as HTML (docutils: inline markup). */
export function inlineHtml(text: string, names: Names, depth = 0): string {
  let html = ""
  let from = 0
  for (const match of text.matchAll(MARKED)) {
    html += escapeHtml(text.slice(from, match.index)) + markedHtml(match, names, depth)
    from = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(from))
}

function markedHtml(match: RegExpExecArray, names: Names, depth: number): string {
  const { escaped, literal, role, roled, quoted, link, after, strong, emphasis } = match.groups!
  if (escaped !== undefined) return escaped.trim() === "" ? "" : escapeHtml(escaped)
  if (literal !== undefined) return `<code>${escapeHtml(literal)}</code>`
  if (roled !== undefined) return roleHtml(role!, roled)
  if (quoted !== undefined) {
    if (after !== undefined) return roleHtml(after, quoted)
    return link === undefined
      ? `<em>${escapeHtml(plain(quoted))}</em>`
      : linkHtml(quoted, link === "__", names)
  }
  const inner = (part: string) => (depth < MAX_DEPTH ? inlineHtml(part, names, depth + 1) : escapeHtml(part))
  if (strong !== undefined) return `<strong>${inner(strong)}</strong>`
  if (emphasis !== undefined) return `<em>${inner(emphasis)}</em>`
  const { note, substitution, address, word } = match.groups!
  if (note !== undefined) return escapeHtml(`[${note.replace(/^#/, "")}]`)
  if (substitution !== undefined) {
    const replaced = names.substitutions.get(substitution.toLowerCase())
    return replaced === undefined ? escapeHtml(match[0]) : inner(replaced)
  }
  if (address !== undefined) {
    const url = address.replace(/[.,;:!?)\]]+$/, "")
    return `${anchor(url, url)}${escapeHtml(address.slice(url.length))}`
  }
  const isAnonymous = match[0].endsWith("__")
  const target = isAnonymous ? names.anonymous.shift() : names.targets.get(word!.toLowerCase())
  return target === undefined ? escapeHtml(match[0]) : anchor(target, word!)
}

const anchor = (url: string, label: string): string => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`

const plain = (text: string): string =>
  text.replace(/\\([^])/g, (_all, sign: string) => (sign.trim() === "" ? "" : sign))

/** `title <target>`: the text to show, and its target. */
function titled(text: string): { readonly label: string; readonly target: string | null } {
  const [, label, target] = /^([^]*?)\s*<([^<>]{1,1500})>$/.exec(text) ?? []
  return target === undefined ? { label: text, target: null } : { label: label || target, target }
}

function linkHtml(text: string, isAnonymous: boolean, names: Names): string {
  const { label, target } = titled(text)
  const shown = plain(label).replace(/\s+/g, " ")
  const named = (name: string) => names.targets.get(name.toLowerCase().replace(/\s+/g, " ").trim())
  const url =
    target === null
      ? isAnonymous
        ? names.anonymous.shift()
        : named(label)
      : target.endsWith("_")
        ? named(target.slice(0, -1))
        : target.replace(/\s+/g, "")
  return url === undefined ? escapeHtml(shown) : anchor(url, shown)
}

function roleHtml(role: string, text: string): string {
  const kind = role.split(":").at(-1)!.toLowerCase()
  const { label, target } = titled(text)
  let shown = plain(label).replace(/\s+/g, " ")
  // `~package.Class` shows only the last name, and `!name` is not a link.
  if (target === null)
    shown = shown.startsWith("~") ? shown.slice(shown.lastIndexOf(".") + 1) : shown.replace(/^!/, "")
  shown = shown.replace(/^~/, "")
  if (kind === "math") return `<span>$${escapeHtml(text)}$</span>`
  if (kind === "strong") return `<strong>${escapeHtml(shown)}</strong>`
  if (kind === "emphasis" || kind === "dfn") return `<em>${escapeHtml(shown)}</em>`
  if (kind === "sup" || kind === "superscript") return `<sup>${escapeHtml(shown)}</sup>`
  if (kind === "sub" || kind === "subscript") return `<sub>${escapeHtml(shown)}</sub>`
  if (kind === "raw") return ""
  if (kind === "pep" || kind === "rfc") return escapeHtml(`${kind.toUpperCase()} ${shown}`)
  // A dot in front only widens the search for the name.
  if (CODE_ROLES.has(kind)) return `<code>${escapeHtml(shown.replace(/^\.(?=\w)/, ""))}</code>`
  // `:doc:` and `:ref:` without a title name a page or a place.
  if (target === null && kind === "doc") return escapeHtml(shown.split("/").at(-1)!)
  if (target !== null && /^https?:/.test(target)) return anchor(target, shown)
  return escapeHtml(shown)
}
