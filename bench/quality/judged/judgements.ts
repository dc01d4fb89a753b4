import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The folder of judgements: `answers.txt` and `reports.txt`. */
const DIR = join(import.meta.dirname, "../../judgements")
const LINE = /^([yn?]) ([0-9a-f]{16}) (.+)$/u

/** Whether sentences are on topic for the question they answer, each judged by a reader. */
export class Judgements {
  readonly #onQuestion = new Map<string, boolean>()

  /** The stored judgements of `answers` or of `reports`. */
  static kept(of: "answers" | "reports"): Judgements {
    const file = join(DIR, `${of}.txt`)
    return new Judgements(existsSync(file) ? readFileSync(file, "utf8") : "")
  }

  /**
   * @param text lines as {@link lineOf} writes them, with the question mark replaced by `y` or `n`; lines that still
   * have it, empty lines, and comments after a `#` are skipped
   * @throws Error naming the line for any other line, and for a sentence that is judged in two ways
   */
  constructor(text: string) {
    for (const [at, line] of text.split("\n").entries()) {
      if (line.trim() === "" || line.startsWith("#")) continue
      const [, verdict, key] = LINE.exec(line) ?? []
      if (key === undefined) throw new Error(`line ${at + 1} of the judgements is not a judgement: ${line}`)
      if (verdict === "?") continue
      const before = this.#onQuestion.get(key)
      if (before !== undefined && before !== (verdict === "y"))
        throw new Error(`line ${at + 1} of the judgements contradicts an earlier one: ${line}`)
      this.#onQuestion.set(key, verdict === "y")
    }
  }

  /** Whether a sentence is on topic for a question; `null` while unjudged. A judgement remains valid as long as the question and sentence are the same, ignoring white space. */
  of(question: string, sentence: string): boolean | null {
    return this.#onQuestion.get(keyOf(question, sentence)) ?? null
  }
}

/** The line on which a sentence is judged: `? key question → sentence`. */
export const lineOf = (question: string, sentence: string): string =>
  `? ${keyOf(question, sentence)} ${question} → ${oneLine(sentence)}`

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " ⏎ ")

function keyOf(question: string, sentence: string): string {
  const bare = [question, sentence].map((text) => text.trim().replaceAll(/\s+/g, " ")).join("\n")
  return createHash("sha256").update(bare).digest("hex").slice(0, 16)
}
