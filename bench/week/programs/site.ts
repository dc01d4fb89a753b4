/** A page that a crawl of a site must find. */
export interface ExpectedPage {
  /** Path with query or fragment, from the site's root. */
  readonly path: string
  /** Other addresses under which the page may be in the index. */
  readonly also?: readonly string[]
  readonly title: string
}

/** A site built from a real program, ready to be served. */
export interface RealSite {
  /** The name of its source. */
  readonly name: string
  /** The program and its configuration, for the table. */
  readonly program: string
  /** Path of the address that an operator would enter. */
  readonly start: string
  /** All content pages of the site; empty if the program comes with its own content and only `count` is known. */
  readonly pages: readonly ExpectedPage[]
  /** Paths that are not content: edit forms, histories, special pages. A page in the index with such a path is junk. */
  readonly junk: RegExp | null
  readonly question: Question
  /**
   * Serves the site on `port` of 127.0.0.1. After a restart it serves the same content.
   * @param env for the server's processes, in addition to this process's environment
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
