import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT, sourceFiles } from "./imports.ts"

// Text that people are meant to copy: in the pages of the handbook, on screens, in messages and help texts.

/** A piece of text that is shown, and where. */
export interface Shown {
  /** `docs/sources.md:21` */
  readonly at: string
  readonly text: string
}

/** A block of code, with the language named by its fence. */
export interface Block extends Shown {
  readonly language: string
}

const PAGES = ["*.md", "docs/*.md", "deploy/*.md", "docker/**/*.md", "command/service/*.md"]
/** Files that people use as they are, or copy. */
const SETTINGS_FILES = [
  "compose*.yaml",
  "docker/*.yaml",
  "command/service/*.{env,service,yaml}",
  ".devcontainer/*",
]
/** The changelog describes past versions. */
const HISTORY = "CHANGELOG.md"

const filesOf = (patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: ["node_modules", HISTORY] })
    .map((file) => file.replaceAll("\\", "/"))
    .sort()

const read = (file: string): Shown => ({ at: file, text: readFileSync(join(ROOT, file), "utf8") })

/** The pages that people read. */
export const shownPages = (): Shown[] => filesOf(PAGES).map(read)

/** The source code behind what people see: all floors, including the faces, without tests. */
export const shownSources = (): Shown[] => sourceFiles().map(read)

export const settingsFiles = (): Shown[] => filesOf(SETTINGS_FILES).map(read)

/** All matches, each with its line number. */
export const matchesIn = (
  { at, text }: Shown,
  pattern: RegExp,
): (Shown & { readonly groups: readonly string[] })[] =>
  [...text.matchAll(pattern)].map((match) => ({
    at: `${at}:${text.slice(0, match.index).split("\n").length}`,
    text: match[0],
    groups: match.slice(1).map((group: string | undefined) => group ?? ""),
  }))

/** The fenced blocks of pages. */
export const blocksIn = (pages: readonly Shown[]): Block[] =>
  pages.flatMap((page) =>
    matchesIn(page, /^ *```(\w*)\n(.*?)^ *```/gms).map(({ at, groups: [language = "", text = ""] }) => ({
      at,
      language,
      text,
    })),
  )

/** YAML shown on screens: multi-line texts in the source of the faces whose first line is a key. */
export const yamlOfFaces = (): Shown[] =>
  shownSources()
    .filter(({ at }) => at.startsWith("faces/"))
    .flatMap((source) => matchesIn(source, /`((?:- )?\w+:(?: [^`\n]*)?\n[^`]*)`/g))
    .filter(({ text }) => !text.includes("${"))
    .map(({ at, groups: [text = ""] }) => ({ at, text }))

/** The words of a line as a shell splits them, up to a comment, a pipe, or the next command. */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [whole, single, double, plain] of line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)) {
    if (plain !== undefined && /^(?:#|[|<>;&)]|\d>)/.test(plain)) break
    words.push(single ?? double ?? plain ?? whole)
    if (plain?.endsWith(";")) break
  }
  return words.map((word) => word.replace(/[;)]$/, ""))
}
