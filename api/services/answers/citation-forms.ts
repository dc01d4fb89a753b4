// The forms in which models cite, regardless of the form they were asked for: OpenAI's file search 【1†source】,
// footnotes, parentheses, labels.

/** A citation after {@link plainCitations}. */
export const CITATION = /\s*\[(\d{1,3}(?:,\d{1,3})*)\]/g

const LABEL =
  "(?:(?:according to |see )?(?:the )?(?:sources?|src|ref(?:erence)?s?|doc(?:ument)?s?|passages?|citations?|texts?|quellen?|fuentes?|fonti|fonte|fontes|bronn?(?:en)?|bron|kilder?|källor?|źródł[ao]|источник[аи]?|kaynak|来源|资料|出典|ソース|출처|المصدر)|[sn])"
const NUMBER = `(?:${LABEL}?[\\s.:=#"“-]*\\^?(\\d{1,3})["”]?)`
const BETWEEN = "\\s*(?:,|;|&|/|、|，|\\band\\b|\\bund\\b|\\bet\\b|\\by\\b|\\be\\b|\\ben\\b|и)\\s*"
/** Patterns for the contents of a citation's brackets. */
const INSIDE = new RegExp(
  `^\\s*${NUMBER}(?:(?:${BETWEEN}|\\s*[-–]\\s*|\\s+)${NUMBER})*\\s*(?:†[^】\\]]*)?$`,
  "iu",
)
const BRACKETS = /(?:\^?\[\[?|【)([^\][【】\n]{1,60})(?:\]?\]|】)(?:\((?:[^()\s]*)\))?\^?/g
const LABELLED_ROUND = new RegExp(`[(（]\\s*(${LABEL}[\\s.:=#-]*\\d[^()（）\\n]{0,40}?)\\s*[)）]`, "giu")
/** Matches only at the end of a sentence, after a space: `ls(1)` and `(1) first …` are not citations. */
const ROUND =
  /(?<=\S)\s+[(（](\d{1,2}(?:\s*,\s*\d{1,2})*)[)）](?=\s*(?:[.!?…。！？]|$))|(?<=[.!?…。！？]\s{0,2})[(（](\d{1,2}(?:\s*,\s*\d{1,2})*)[)）](?=\s|$)/gu
const ELEMENT = /<source[-\w]*\s+n\s*=\s*["“]?(\d{1,3})["”]?\s*\/?>(?:\s*<\/source[-\w]*>)?/gi
const RAISED = /<sup>\s*\[?(\d{1,3})\]?\s*<\/sup>|\^(\d{1,3})\^|(?<=[.!?。！？"”»)])\s?([¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3})/g
const RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
/** Matches `According to [1], …` and `Source 1 says that …`. */
const LED_IN =
  /^(?:according to|as (?:stated|described|noted|mentioned|explained) (?:in|by)|based on|per|laut|gemäß|nach|selon|d['’]après|según|secondo|segundo|de acordo com|volgens|согласно|根据|根據)\s*\[(\d{1,3}(?:,\d{1,3})*)\]\s*[,:，、]?\s*(?=\S)/iu
const SAYS = new RegExp(
  `^(?:the )?(?:source|document|passage|reference)\\s+#?(\\d{1,3})\\s+(?:states|says|mentions|notes|explains|indicates|describes)(?: that)?,?\\s+(?=\\S)`,
  "i",
)
const LONGEST_RANGE = 8

/**
 * A line of a reply with every citation in it rewritten as `[1]` or `[1,2]`.
 *
 * @param roundToo whether a bare number in parentheses at the end of a sentence is a citation; false if the reply has
 * other forms
 */
export function plainCitations(line: string, roundToo: boolean): string {
  let plain = line
    .normalize("NFC")
    .replaceAll(ELEMENT, " [$1]")
    .replaceAll(RAISED, (_, sup: string, caret: string, raised: string) => {
      const digits = raised
        ? Array.from(raised, (one) => RAISED_DIGITS.indexOf(one)).join("")
        : (sup ?? caret)
      return ` [${digits}]`
    })
    .replaceAll(BRACKETS, (all, inside: string) => {
      const numbers = numbersOf(inside)
      return numbers === null ? all : `[${numbers.join()}]`
    })
    .replaceAll(LABELLED_ROUND, (all, inside: string) => {
      const numbers = numbersOf(inside)
      return numbers === null ? all : `[${numbers.join()}]`
    })
  if (roundToo && !plain.match(CITATION)) {
    plain = plain.replaceAll(
      ROUND,
      (_, one?: string, other?: string) => ` [${(one ?? other)!.replaceAll(/\s/g, "")}]`,
    )
  }
  const says = SAYS.exec(plain)
  if (says) plain = withCitationBehind(plain.slice(says[0].length), says[1]!)
  const ledIn = LED_IN.exec(plain)
  if (ledIn) plain = withCitationBehind(plain.slice(ledIn[0].length), ledIn[1]!)
  return plain
}

/** The numbers in the brackets of a citation; `null` if the brackets are not a citation. */
function numbersOf(inside: string): number[] | null {
  if (!INSIDE.test(inside)) return null
  const range = /^\D*(\d{1,3})\s*[-–]\s*\D*(\d{1,3})\s*(?:†.*)?$/u.exec(inside)
  if (range && !inside.includes("†")) {
    const [from, to] = [Number(range[1]), Number(range[2])]
    if (to > from && to - from <= LONGEST_RANGE)
      return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  }
  return (inside.split("†")[0]!.match(/\d+/g) ?? []).map(Number)
}

/** Moves a citation from the start of a line to the end of its first sentence. */
function withCitationBehind(text: string, numbers: string): string {
  const capitalised = text.charAt(0).toUpperCase() + text.slice(1)
  const end = /[.!?。！？](?=\s|$)/.exec(capitalised)
  if (!end) return `${capitalised} [${numbers}]`
  return `${capitalised.slice(0, end.index)} [${numbers}]${capitalised.slice(end.index)}`
}
