import type { SiteLook } from "./site-look.ts"

/** A language that a site has pages in. */
export interface LanguageLook {
  /** ISO 639-1. */
  readonly language: string
  /** How the language was detected: the page declares it, the page links to translations (`hreflang`), or addresses start with the language code. */
  readonly from: "page" | "hreflang" | "address"
  /** The common prefix of the addresses of pages in this language, such as `/de/`; `null` if they have none in common. */
  readonly path: string | null
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** The language code in an address if it is in ISO 639-1: `de` for `de-AT`. `null` for other parts of addresses. */
function languageOf(code: string): string | null {
  const language = /^([a-z]{2})(?:[-_](?:[a-z]{2}|hans|hant))?$/i.exec(code)?.[1]?.toLowerCase()
  return language !== undefined && names.of(language) !== undefined ? language : null
}

/** The languages of a site, judged by its first page and by the beginnings of its pages' addresses. */
export function languagesOf(look: SiteLook, addresses: readonly string[]): LanguageLook[] {
  const paths = pathsByLanguage(look, addresses)
  const found = new Map<string, LanguageLook>()
  const add = (code: string, from: LanguageLook["from"], path: string | null) => {
    const language = languageOf(code)
    if (language !== null && !found.has(language))
      found.set(language, { language, from, path: path ?? paths.get(language) ?? null })
  }
  for (const { hreflang, href } of look.alternates) add(hreflang, "hreflang", prefixOf(href, hreflang))
  if (look.language !== null) add(look.language, "page", null)
  // If only one language is found in addresses, it could be a folder whose name merely looks like a language code.
  const known = [...paths.keys()].filter((language) => found.has(language)).length
  if (paths.size > 1 || known > 0) for (const [language, path] of paths) add(language, "address", path)
  return [...found.values()]
}

function pathsByLanguage(look: SiteLook, addresses: readonly string[]): Map<string, string> {
  const { origin, pathname } = new URL(look.asked)
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1)
  const paths = new Map<string, string>()
  for (const address of addresses) {
    const url = URL.parse(address)
    if (url === null || url.origin !== origin || !url.pathname.startsWith(folder)) continue
    const code = url.pathname.slice(folder.length).split("/", 1)[0] ?? ""
    const language = url.pathname.length > folder.length + code.length ? languageOf(code) : null
    if (language !== null && !paths.has(language)) paths.set(language, `${folder}${code}/`)
  }
  return paths
}

/** The beginning of an address up to its language code: `/docs/de/` for `https://example.com/docs/de/setup`. */
function prefixOf(href: string, code: string): string | null {
  const parts = new URL(href).pathname.split("/")
  const at = parts.findIndex((part) => part.toLowerCase().replace("_", "-") === code.toLowerCase())
  return at < 0 ? null : `${parts.slice(0, at + 1).join("/")}/`
}
