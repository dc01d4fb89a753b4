/** A page that a crawl of a site must bring in. */
export interface ExpectedPage {
  /** Path with query or fragment, from the site's root. */
  readonly path: string
  /** Other addresses at which it may be in the index. */
  readonly also?: readonly string[]
  readonly title: string
}

/** A site built from a real program, ready to be served. */
export interface RealSite {
  /** The name of its source. */
  readonly name: string
  /** The program and how it is set up, for the table. */
  readonly program: string
  /** Path of the address an operator would give. */
  readonly start: string
  /** All its content; empty when the program brings its own and only `count` is known. */
  readonly pages: readonly ExpectedPage[]
  /** Paths that are not content: edit forms, histories, special pages. One of them in the index is junk. */
  readonly junk: RegExp | null
  readonly question: Question
  /**
   * Serves it on `port` of 127.0.0.1. After a restart it serves the same content.
   * @param env for the server's processes, in addition to this process's environment.
   */
  serve(port: number, env?: Environment): Promise<Served>
}

export type Environment = Readonly<Record<string, string>>

/** A question whose right page is known. */
export interface Question {
  readonly text: string
  readonly path: string
}

/** A running server. */
export interface Served extends AsyncDisposable {
  readonly url: string
}

/** The question that a text answers, and where its page is. */
export function questionOf(text: { about: string }, path: string): Question {
  return { text: text.about, path }
}
