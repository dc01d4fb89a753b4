// ISO 639-1, all two-letter codes in use.
const CODES =
  "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo " +
  "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg " +
  "ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn " +
  "no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta " +
  "te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"

const codes = new Set(CODES.split(" "))
let byName: ReadonlyMap<string, string> | undefined

/** The ISO 639-1 code that `text` names: a code, a code with region or script (`zh-cn`), or an English name. */
export function languageCode(text: string): string | null {
  const wanted = text.trim().toLowerCase()
  const base = /^([a-z]{2})(?:[-_][a-z0-9]{2,8})*$/.exec(wanted)?.[1]
  if (base !== undefined && codes.has(base)) return base
  byName ??= englishNames()
  return byName.get(wanted) ?? null
}

function englishNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames("en", { type: "language" })
  const known = [...codes].map((code): [string, string] => [names.of(code)!.toLowerCase(), code])
  return new Map([
    ...known,
    ["mandarin", "zh"],
    ["simplified chinese", "zh"],
    ["traditional chinese", "zh"],
    ["farsi", "fa"],
    ["filipino", "tl"],
    ["norwegian bokmal", "nb"],
    ["castilian", "es"],
  ])
}
