import type { DocumentFacts } from "./metadata.ts"

/** The label of Restricted To Adults, https://www.rtalabel.org. */
const RTA = "RTA-5042-1996-1400-1577-RTA"

/** Whether a document calls itself adult: rating tags, schema.org `isFamilyFriendly`, the old PICS labels. */
export function callsItselfAdult({ meta, jsonLd }: DocumentFacts): boolean {
  return (
    isAdultRating(meta.get("rating")) ||
    isFalse(meta.get("isfamilyfriendly")) ||
    jsonLd.some((object) => isFalse(object["isFamilyFriendly"])) ||
    isAdultLabel(meta.get("pics-label") ?? "")
  )
}

/** Whether a rating, from a `<meta>` or a header of that name, marks content as unsuitable for children. */
export function isAdultRating(rating: string | undefined): boolean {
  return rating !== undefined && (/^\s*(?:adult|mature)\s*$/i.test(rating) || rating.includes(RTA))
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^\s*(?:\S+[/:])?false\s*$/i.test(value))
}

/**
 * RSACi rates sex and nudity from 0 to 4. ICRA has a letter for each kind of nudity (`na`, …) and of sexual material
 * (`sa`, …); a page with both kinds of letters is neither art nor teaching. https://www.w3.org/PICS
 */
function isAdultLabel(label: string): boolean {
  const ratings = [...label.slice(0, 5000).matchAll(/\b(?:r|ratings)\s*\(([^()]*)\)/gi)].map(
    ([, list]) => ` ${list}`,
  )
  return ratings.some(
    (list) =>
      /\ss\s+[34]/i.test(list) ||
      /\sn\s+4/i.test(list) ||
      (/\sn[a-h]\s+1/i.test(list) && /\ss[a-f]\s+1/i.test(list)),
  )
}

/** Number of characters of the text that are examined: the part where a page states its subject. */
const LOOKED_AT = 8000
/** Maximum number of times that one word is counted: repeating it adds no evidence. */
const REPEATS = 5

// Words that pornography uses for its own categories and that are rarely found elsewhere; `_` is a space, a hyphen or
// nothing. Only whole words are counted, so that Scunthorpe and Essex remain places.
const SHELF = wordList(
  "xxx milfs? blow_jobs? hand_jobs? cum_shots? creampies? gang_bangs? deep_throats? bukkake hentai futanari cam_girls? " +
    "sex_cams? threesomes? upskirt jerk_off shemales? jizz rimjobs? fleshlights? " +
    "ficken fickt fickfilme arschfick möse titten sodomie gros_seins partouze enculer nichons " +
    "follando folladas? tetonas? culonas? scopata scopate pompini tettone sborrata putaria buceta transando " +
    "cipki ruchanie sikiş amcık трахает трах ебля сиськи минет",
)
const SHELF_UNSPACED = /エロ動画|無修正|中出し|巨乳|痴女|做爱视频|自拍偷拍/gu
// Vulgar words, which songs and arguments use too.
const VULGAR = wordList(
  "fucks fucking fucked pussy pussies cocks cunts? tits titties boobs busty horny sluts? whores? orgy orgies dildos? cumming " +
    "hardcore naughty muschi schlampen? nutten salopes? baise putas? troie zoccole puttane safadas? boquete cycki шлюх[аи]",
)
// Names for pornography used by its sites and by everybody else.
const NAMED = wordList("porn pornos? sex_videos? nudes erotica порно")
const NAMED_UNSPACED = /成人视频|アダルト動画/gu
// Words used in texts about the subject: news, law, medicine, teaching, linguistics.
const ABOUT = wordList(
  "research researchers study studies court law laws police legislation lawsuit charged convicted abuse victims? consent " +
    "health medical patients? doctors? therapy addiction symptoms? education students? teachers? parents? filtering blocking " +
    "policy regulators? documentary etymology noun slang vulgar linguistics? journal percent professor university contraception " +
    "gesetz gericht polizei studie forschung loi étude santé ley policía estudio salud",
)

// A lookbehind at every letter would cost ten times as much, so the letter before is checked when a word is found.
function wordList(list: string): RegExp {
  const words = list.split(" ").map((word) => word.replaceAll("_", "[ -]?"))
  return new RegExp(`(?:${words.join("|")})(?![\\p{L}\\p{N}_])`, "gu")
}

/**
 * Whether a text reads like pornography: it contains several of its typical words, close together, and few of the words
 * used in texts about the subject. Designed to miss some rather than to flag medicine, teaching and news.
 */
export function readsAdult(...texts: readonly (string | null)[]): boolean {
  const text = texts
    .map((part) => part?.slice(0, LOOKED_AT) ?? "")
    .join("\n")
    .toLowerCase()
  const shelf = count(text, SHELF, SHELF_UNSPACED)
  if (shelf.distinct < 2) return false
  const vulgar = count(text, VULGAR)
  const named = count(text, NAMED, NAMED_UNSPACED)
  const about = count(text, ABOUT)
  const score = 3 * shelf.distinct + vulgar.distinct + (named.distinct > 0 ? 2 : 0) - 2 * about.distinct
  const perThousandChars = ((shelf.total + vulgar.total + named.total) * 1000) / Math.max(text.length, 200)
  return score >= 8 && perThousandChars >= 4
}

/** Counts each word at most {@link REPEATS} times. */
function count(text: string, wordsOf: RegExp, unspaced?: RegExp): { distinct: number; total: number } {
  const times = new Map<string, number>()
  const add = (word: string) => times.set(word, Math.min((times.get(word) ?? 0) + 1, REPEATS))
  for (const { 0: word, index } of text.matchAll(wordsOf))
    if (index === 0 || !/[\p{L}\p{N}_]/u.test(text[index - 1]!)) add(word)
  if (unspaced) for (const [word] of text.matchAll(unspaced)) add(word)
  return { distinct: times.size, total: [...times.values()].reduce((sum, n) => sum + n, 0) }
}
