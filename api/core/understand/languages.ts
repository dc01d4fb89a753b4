import { Refusal } from "#base/errors.ts"

// All two-letter language codes in use (ISO 639-1).
const CODES =
  "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo " +
  "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg " +
  "ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn " +
  "no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta " +
  "te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"

/** Equivalent codes for a language: withdrawn ones that pages still carry, and Norwegian, which has a general code and one for each written form. */
const SAME = [
  ["no", "nb"],
  ["no", "nn"],
  ["he", "iw"],
  ["id", "in"],
  ["yi", "ji"],
  ["ro", "mo"],
] as const

const codes = new Set([...CODES.split(" "), ...SAME.flat()])
let byName: ReadonlyMap<string, string> | undefined

/**
 * The ISO 639-1 codes that pages in a language may carry, the main one first; null if `text` doesn't name a language.
 * `text` can be a code, a code with region or script (`zh-cn`), or an English name.
 */
export function languageCodes(text: string): readonly string[] | null {
  const wanted = text.trim().toLowerCase()
  const base = /^([a-z]{2})(?:[-_][a-z0-9]{2,8})*$/.exec(wanted)?.[1]
  byName ??= englishNames()
  const code = base !== undefined && codes.has(base) ? base : byName.get(wanted)
  if (code === undefined) return null
  const others = SAME.flatMap(([one, other]) => (one === code ? [other] : other === code ? [one] : []))
  return [code, ...others]
}

export const LANGUAGE_ALLOWED =
  "an ISO 639-1 code ('en', 'zh-cn') or the English name of a language ('french')"

/** The codes of the language that a caller names, as {@link languageCodes} returns them. @throws Refusal when it isn't a language */
export function theLanguage(text: string): readonly string[] {
  const known = languageCodes(text)
  if (known === null) throw new Refusal("wrong", `Invalid language. Must be ${LANGUAGE_ALLOWED}.`)
  return known
}

function englishNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames("en", { type: "language" })
  const known = [...codes].map((code): [string, string] => [names.of(code)!.toLowerCase(), code])
  return new Map([
    ...known,
    ["norwegian", "no"],
    ["hebrew", "he"],
    ["indonesian", "id"],
    ["yiddish", "yi"],
    ["romanian", "ro"],
    ["moldovan", "ro"],
    ["norwegian bokmal", "nb"],
    ["mandarin", "zh"],
    ["mandarin chinese", "zh"],
    ["simplified chinese", "zh"],
    ["traditional chinese", "zh"],
    ["farsi", "fa"],
    ["filipino", "tl"],
    ["tagalog", "tl"],
    ["brazilian portuguese", "pt"],
    ["castilian", "es"],
  ])
}
