/** Elements whose text is written as strong. */
export const STRONG = new Set(["b", "strong"])

/** Puts emphasis marks around text, with its leading and trailing white space outside the marks. */
export function wrapped(inner: string, mark: string): string {
  const text = inner.trim()
  if (text === "") return inner
  // Emphasis must neither start nor end with white space.
  const lead = /^\s/.test(inner) ? " " : ""
  const tail = /\s$/.test(inner) ? " " : ""
  return lead + mark + text + mark + tail
}

export function trimEmphasis(text: string): string {
  return text.replace(/^\*\*(.*)\*\*$/, "$1")
}

export function codeSpan(text: string): string {
  if (text === "") return ""
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).slice(0, 1000).map((run) => run.length))
  const fence = "`".repeat(longest + 1)
  const pad = longest > 0 && (text.startsWith("`") || text.endsWith("`")) ? " " : ""
  return fence + pad + text + pad + fence
}

/**
 * Inline markdown while it is being assembled. Adjacent code spans are merged, and so is adjacent bold text, because
 * their marks side by side would be read as other marks. Marks in text are escaped, and code does not begin or end with
 * a mark.
 */
export class InlineText {
  // Only the last part is examined, because examining the end of all of them would mean joining them each time.
  readonly #parts: string[] = []

  addText(text: string): void {
    this.#parts.push(this.#escapesEdge(text) === "right" ? `\\${text}` : text)
  }

  /** Adds the markdown of an element. */
  add(written: string): void {
    this.#escapesEdge(written)
    const last = this.#parts.length - 1
    const [left, right] = [this.#parts[last] ?? "", written]
    if (left.endsWith("**") && right.startsWith("**") && !left.endsWith("***") && !right.startsWith("***")) {
      this.#parts[last] = left.slice(0, -2)
      this.add(right.slice(2))
    } else if (ONE_TICK_AT_END.test(left.slice(-2)) && ONE_TICK_AT_START.test(right)) {
      this.#parts[last] = left.slice(0, -1)
      this.#parts.push(right.slice(1))
    } else if (right !== "") this.#parts.push(right)
  }

  /**
   * Escapes the start of a mark that two parts would form together, such as an image from `!` before a link.
   * Returns "right" when the caller has to escape the right part instead.
   */
  #escapesEdge(right: string): "right" | null {
    const last = this.#parts.length - 1
    const tail = this.#parts[last]?.slice(-EDGE_CHARS) ?? ""
    const at = tail.search(EDGE_MARK)
    if (at === -1) return null
    const begun = tail.slice(at)
    if (begun === "~" && tail[at - 1] === "~" && right.startsWith("~")) return "right"
    if (!EDGES.some(([left, rest]) => left.test(begun) && rest.test(right))) return null
    const from = this.#parts[last]!.length - begun.length
    this.#parts[last] = `${this.#parts[last]!.slice(0, from)}\\${begun}`
    return null
  }

  /** Returns everything that was added, and starts empty again. */
  take(): string {
    return this.#parts.splice(0).join("")
  }
}

/** Length of the longest entity (HTML §13.5), with its ampersand and number sign. */
const EDGE_CHARS = 33
/** An unescaped character that might begin a mark which the next part completes. */
const EDGE_MARK = /(?<!\\)(?:[!<~]|&#?\w*)$/
/** The starts of an image, a tag or comment, strikethrough and an entity, each with the text that completes it. */
const EDGES: readonly (readonly [RegExp, RegExp])[] = [
  [/^!/, /^\[/],
  [/^</, /^[a-z/!?]/i],
  [/^~/, /^~/],
  [/^&/, /^[#\w]{0,32}(?:;|$)/],
]

const ONE_TICK_AT_END = /[^`\\]`$/
const ONE_TICK_AT_START = /^`(?!`)/

const EMPHASIZED_CODE = /(\*{1,3})(`[^`\n]+`)\1/g
const LETTER_BEFORE = /[\p{L}\p{N}]$/u
const LETTER_AFTER = /^[\p{L}\p{N}]/u

/**
 * Drops emphasis around code where a letter touches it. Between a letter and a punctuation mark such as a backtick,
 * asterisks neither open nor close emphasis (CommonMark §6.2), so only the code remains.
 */
export function withoutStuckMarks(text: string): string {
  if (!text.includes("*`")) return text
  return text.replace(EMPHASIZED_CODE, (all, _mark: string, code: string, at: number) => {
    const before = text.slice(Math.max(0, at - 2), at)
    const after = text.slice(at + all.length, at + all.length + 2)
    return LETTER_BEFORE.test(before) || LETTER_AFTER.test(after) ? code : all
  })
}
