const CODES = (
  "ar be bg bn bs ca cs cy da de el en en-GB eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko lt lv mk ml " +
  "mn ms nb nl nn no pl pt pt-BR ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh zh-Hans zh-Hant zh-CN zh-TW"
).split(" ")

/** Codes by which languages are named on buttons and bars. */
export const LANGUAGE_CODES: ReadonlySet<string> = new Set(CODES.map((code) => code.slice(0, 2)))

function names(): ReadonlySet<string> {
  const found = new Set<string>()
  const english = new Intl.DisplayNames("en", { type: "language" })
  for (const code of CODES) {
    const own = new Intl.DisplayNames(code, { type: "language" })
    for (const name of [own.of(code), english.of(code)]) {
      if (name === undefined || name === code) continue
      found.add(name.toLowerCase())
      // "português (Brasil)" is written without its country too.
      found.add(name.toLowerCase().replace(/\s*[(（].*$/u, ""))
    }
  }
  return found
}

/** Names of languages in their own language and in English, lower case, as Unicode's data has them. */
export const LANGUAGE_NAMES: ReadonlySet<string> = names()
