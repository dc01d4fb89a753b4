import { readFileSync } from "node:fs"
import path from "node:path"
import { type Document, isNode, LineCounter, parseDocument, visit } from "yaml"
import type { BackupPlan } from "../backup-plan.ts"
import type { SourceSpec } from "../source.ts"
import { readBackupPlan, type WrittenBackup } from "./backup-spec.ts"
import { fieldText, readSourceSpec, schemaProblems, SourceError, type SourceProblem } from "./source-spec.ts"

/** A file of sources that is wrong; the message has a line for each thing that is: `sources.yaml:12: …`. */
export class SourcesFileError extends Error {
  /** What is wrong, each with its line, from 1; null when it is no matter of one line. */
  readonly problems: readonly { readonly line: number | null; readonly text: string }[]

  constructor(file: string, problems: SourcesFileError["problems"]) {
    super(problems.map(({ line, text }) => `${line === null ? file : `${file}:${line}`}: ${text}`).join("\n"))
    this.name = "SourcesFileError"
    this.problems = problems
  }
}

type NamedSpec = SourceSpec & { readonly name: string }
type Written = Readonly<Record<string, unknown>>

/** What a file of sources declares. */
export interface Declared {
  readonly sources: readonly NamedSpec[]
  /** Null: no backups by schedule. */
  readonly backup: BackupPlan | null
}

/**
 * Reads a file of sources: YAML 1.2, or JSON.
 * @param dataDir the data folder, in which no backup may go; null: nobody knows it
 * @throws SourcesFileError
 */
export function readSourcesFile(file: string, dataDir: string | null = null): Declared {
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw new SourcesFileError(file, [{ line: null, text: `cannot be read (${(error as Error).message})` }])
  }
  return parseSources(text, file, dataDir)
}

/**
 * What a file's text declares: sources, each with the file's defaults under what it says itself, and the backup.
 * @throws SourcesFileError
 */
export function parseSources(text: string, file: string, dataDir: string | null = null): Declared {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const fail = (problems: SourcesFileError["problems"]) => {
    throw new SourcesFileError(
      file,
      [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    )
  }
  const slips = yamlSlips(document, lines, text)
  if (slips.length > 0) fail(slips)
  const lineOf = (path: SourceProblem["path"]): number | null => {
    const node = document.getIn(path, true)
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : null
  }
  /** The line of the field, or of what it should stand in. */
  const nearestLine = (path: SourceProblem["path"]): number | null => {
    for (let end = path.length; end > 0; end--) {
      const line = lineOf(path.slice(0, end))
      if (line !== null) return line
    }
    return 1
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 1000 })
  } catch (error) {
    fail([{ line: null, text: (error as Error).message }])
  }
  if (value === null) fail([{ line: 1, text: 'is empty; "sources: []" declares none' }])
  const names = namesIn(value)
  const wrong = schemaProblems("file", value)
  if (wrong.length > 0) {
    fail(
      wrong.map(({ path, message }) => ({
        line: nearestLine(path),
        text: `${labelled(path, names)} ${message}`.trim(),
      })),
    )
  }
  const {
    defaults = {},
    sources,
    backup: wanted = null,
  } = value as { defaults?: Written; sources: readonly Written[]; backup?: WrittenBackup | null }
  const problems: { line: number | null; text: string }[] = []
  const specs: NamedSpec[] = []
  for (const [index, source] of sources.entries()) {
    if (names.indexOf(names[index] ?? null) < index) {
      problems.push({ line: lineOf(["sources", index, "name"]), text: `${names[index]} is declared twice` })
    }
    try {
      specs.push(readSourceSpec(withDefaults(source, defaults)))
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      for (const { path, message } of error.problems) {
        const own = lineOf(["sources", index, ...path])
        const line = own ?? lineOf(["defaults", ...path]) ?? nearestLine(["sources", index, ...path])
        problems.push({ line, text: `${labelled(["sources", index, ...path], names)} ${message}` })
      }
    }
  }
  let backup: BackupPlan | null = null
  try {
    if (wanted !== null) backup = readBackupPlan(wanted, path.dirname(path.resolve(file)), dataDir)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    for (const { path: field, message } of error.problems) {
      const at = ["backup", ...field]
      problems.push({ line: nearestLine(at), text: `${labelled(at, names)} ${message}` })
    }
  }
  if (problems.length > 0) fail(problems)
  return { sources: specs, backup }
}

/** What is no YAML: the first slip of each line. Most are texts that YAML takes for something else. */
function yamlSlips(document: Document, lines: LineCounter, text: string): SourcesFileError["problems"] {
  const slips = new Map<number, string>()
  for (const { pos, message } of document.errors) {
    const { line } = lines.linePos(pos[0])
    const isMarked = /[*{}[\]#&]/.test(text.split("\n")[line - 1] ?? "")
    const hint = isMarked ? '; a text with * or { or [ in it may need quotes: "*.pdf"' : ""
    if (!slips.has(line)) slips.set(line, message + hint)
  }
  visit(document, {
    Alias(_, alias) {
      const { line } = lines.linePos(alias.range?.[0] ?? 0)
      if (alias.resolve(document) || slips.has(line)) return
      slips.set(line, `*${alias.source} must stand in quotes, since it begins with *`)
    },
  })
  return [...slips].map(([line, message]) => ({ line, text: message }))
}

/** `docs: limits.pages`, or `sources[3].seeds` for one without a name. */
function labelled(path: SourceProblem["path"], names: readonly (string | null)[]): string {
  const [first, index, ...rest] = path
  const name = first === "sources" && typeof index === "number" ? names[index] : null
  return name ? `${name}: ${fieldText(rest)}` : fieldText(path)
}

function namesIn(value: unknown): (string | null)[] {
  const sources = (value as Written | null)?.["sources"]
  if (!Array.isArray(sources)) return []
  return sources.map((source) => {
    const name = (source as Written | null)?.["name"]
    return typeof name === "string" ? name : null
  })
}

/** Groups of fields, which are filled up; all other fields are taken whole. */
const GROUPS = ["limits", "politeness", "pages", "revisit", "removal"]

function withDefaults(source: Written, defaults: Written): Written {
  const merged: Record<string, unknown> = { ...defaults, ...source }
  for (const group of GROUPS) {
    if (merged[group] !== undefined) {
      merged[group] = {
        ...(defaults[group] as Written | undefined),
        ...(source[group] as Written | undefined),
      }
    }
  }
  const schedule = scheduleOf(source["schedule"], defaults["schedule"])
  if (schedule === undefined) delete merged["schedule"]
  else merged["schedule"] = schedule
  return merged
}

/** Times of its own replace the default's; a default without times fills up only. */
function scheduleOf(own: unknown, byDefault: unknown): unknown {
  if (own === null) return null
  const [wanted, base] = [own, byDefault].map((schedule) =>
    typeof schedule === "string" ? { cron: schedule } : (schedule as Written | null | undefined),
  )
  const merged = hasTimes(wanted)
    ? { ...base, cron: null, everyHours: null, ...wanted }
    : { ...base, ...wanted }
  if (own === undefined && !hasTimes(merged)) return undefined
  return merged
}

const hasTimes = (schedule: Written | null | undefined): boolean =>
  schedule?.["cron"] !== undefined || schedule?.["everyHours"] !== undefined
