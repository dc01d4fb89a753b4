import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** The reading code of one checkout; `load("page/charset.ts")` imports a file of its `crawler` folder. */
export interface Code {
  readonly load: <Module>(file: string) => Promise<Module>
}

/** Every checkout has its own copies of the modules, since their paths differ. */
export function codeOf(checkout: string): Code {
  return { load: (file) => import(pathToFileURL(join(checkout, "crawler", file)).href) }
}

/** One page, file or example of a suite. */
export interface Case<Wanted> {
  readonly name: string
  /** The content; in large sets, it is read from the disk on access. */
  readonly input: Uint8Array
  /** The address that the reader gets. */
  readonly url: string
  readonly wanted: Wanted
}

/** One line of the table: the subject, and all figures by name. */
export interface Row {
  readonly of: string
  readonly cases: number
  readonly figures: Readonly<Record<string, string>>
}

/** A judge's result for one case: `score` is the sort key for the list of the worst cases, and `said` is printed there. */
export interface Mark {
  readonly score: number
  readonly said: string
}

/** A public suite. To add one, add a file in `suites/` and its name to the list in `reading.ts`. */
export interface Suite<Wanted = unknown, Reading = unknown, M extends Mark = Mark> {
  readonly name: string
  /** Its checkout's folder, inside the folder given on the command line; null if the suite needs none. */
  readonly folder: string | null
  readonly goal: string
  /** @throws SuiteSkipped */
  cases(folder: string): Promise<readonly Case<Wanted>[]>
  /** Loads the code under test, ready to read one case. Only the returned function is timed. */
  reader(code: Code): Promise<(one: Case<Wanted>) => Reading | Promise<Reading>>
  judge(one: Case<Wanted>, reading: Reading): M
  rows(marks: readonly M[]): readonly Row[]
  /** Cases with a lower score are listed below the table. Default: no cases are listed. */
  readonly listBelow?: number
  /** The text of a reading for `--texts`. Default: the reading as JSON. */
  text?(reading: Reading): string
}

/** Thrown when this machine lacks something for a suite; the message says what, and how to get it. */
export class SuiteSkipped extends Error {}

/** Makes sure that the types within a suite match; the list holds suites of all kinds. */
export const suite = <Wanted, Reading, M extends Mark>(one: Suite<Wanted, Reading, M>): Suite =>
  one as unknown as Suite
