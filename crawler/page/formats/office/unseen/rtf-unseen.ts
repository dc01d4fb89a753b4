/** A brace, a control word, a byte given by its number, a control symbol, or text (RTF 1.9.1, "RTF syntax"). */
const TOKENS = /[{}]|\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'[0-9a-f]{2}|\\[^a-z]|[^\\{}]+|\\/gi
/** Strings that indicate something to remove or replace. */
const SIGNS = /\\(?:v|deleted)(?![a-z])|\\[~_-]/
/** Non-breaking spaces and hyphens, and the optional hyphen, as plain text. */
const PLAIN: Readonly<Record<string, string>> = { "\\~": "\\'a0", "\\_": "-", "\\-": "" }
/** Control words that stand for text: a letter given by its number, a tab, a dash, a quotation mark. */
const LETTERS = /^(?:u|tab|emdash|endash|bullet|[lr]d?bl?quote|line|emspace|enspace)$/

/** Removes from an RTF file the text that is hidden (`\v`) or deleted under track changes. */
export function withoutUnseenRtf(body: Uint8Array): Uint8Array {
  const file = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1")
  if (!SIGNS.test(file)) return body
  const groups: { isHidden: boolean; isDeleted: boolean }[] = []
  let now = { isHidden: false, isDeleted: false }
  const out: string[] = []
  TOKENS.lastIndex = 0
  for (let match = TOKENS.exec(file); match !== null; match = TOKENS.exec(file)) {
    const [token, word, number] = match
    const isUnseen = now.isHidden || now.isDeleted
    if (token === "{") groups.push(now)
    else if (token === "}") now = groups.pop() ?? now
    else if (word === "v") now = { ...now, isHidden: number !== "0" }
    else if (word === "deleted") now = { ...now, isDeleted: number !== "0" }
    else if (word === "plain") now = { isHidden: false, isDeleted: false }
    if (word === "bin") {
      // The number is the count of raw bytes that follow.
      const end = Math.min(file.length, TOKENS.lastIndex + Math.max(0, Number(number ?? 0)))
      out.push(token, file.slice(TOKENS.lastIndex, end))
      TOKENS.lastIndex = end
    } else if (!isUnseen || /^[{}]$/.test(token) || (word !== undefined && !LETTERS.test(word)))
      out.push(PLAIN[token] ?? token)
  }
  return new Uint8Array(Buffer.from(out.join(""), "latin1"))
}
