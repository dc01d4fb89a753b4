import { readFileSync } from "node:fs"
import path from "node:path"
import type { BackupPlan } from "../../backup-plan.ts"
import { contentFieldsOf, type SourceSpec } from "../../source.ts"
import { readBackupPlan, type WrittenBackup } from "./backup-spec.ts"
import { readSourceSpec } from "../source-spec.ts"
import { OF_WEBSITES } from "../written/content-source.ts"
import { schemaProblems } from "../written/schema-problems.ts"
import { fieldText, SourceError, type SourceProblem } from "../written/source-problem.ts"
import type { Surroundings } from "../written/surroundings.ts"
import { type Place, placeAt, readYaml } from "../written/yaml-slips.ts"

/** A problem in a sources file, and its place; `place` is null if the problem has no single place. */
export interface FileProblem {
  readonly place: Place | null
  readonly text: string
}

/** An invalid sources file; the message has a line for each problem: `sources.yaml:12:5: …`. */
export class SourcesFileError extends Error {
  readonly problems: readonly FileProblem[]

  constructor(file: string, problems: readonly FileProblem[]) {
    super(
      problems
        .map(
          ({ place, text }) => `${place === null ? file : `${file}:${place.line}:${place.column}`}: ${text}`,
        )
        .join("\n"),
    )
    this.name = "SourcesFileError"
    this.problems = problems
  }
}

type NamedSpec = SourceSpec & { readonly name: string }
type Written = Readonly<Record<string, unknown>>

/** The declarations in a sources file. */
export interface Declared {
  readonly sources: readonly NamedSpec[]
  /** Null when no backups are scheduled. */
  readonly backup: BackupPlan | null
}

/** The context against which a sources file is checked, besides its own text; anything left out is not checked. */
export interface FileSurroundings extends Partial<Surroundings> {
  /** The data folder, which no backup may be in. */
  readonly dataDir?: string
}

/**
 * Reads a sources file: YAML 1.2, or JSON.
 * @throws SourcesFileError
 */
export function readSourcesFile(file: string, surroundings: FileSurroundings = {}): Declared {
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw new SourcesFileError(file, [{ place: null, text: `cannot be read (${(error as Error).message})` }])
  }
  return parseSources(text, file, surroundings)
}

/**
 * The declarations in a file's text: the backup and the sources, each with the file's defaults applied.
 * @throws SourcesFileError
 */
export function parseSources(text: string, file: string, surroundings: FileSurroundings = {}): Declared {
  const yaml = readYaml(text)
  if (yaml.slips.length > 0) throw new SourcesFileError(file, yaml.slips)
  let value: unknown
  try {
    value = yaml.document.toJS({ maxAliasCount: 1000 })
  } catch (error) {
    throw new SourcesFileError(file, [{ place: null, text: (error as Error).message }])
  }
  const problems = new Problems(yaml, namesIn(value))
  if (value === null) problems.add([], 'is empty; to declare no sources, write "sources: []"')
  const wrong = value === null ? [] : schemaProblems("file", value)
  for (const { path: at, message } of wrong) problems.add(at, message)
  // Invalid parts are not checked further, but every valid source is.
  const isWrong = (...at: SourceProblem["path"]) =>
    wrong.some(({ path: way }) => at.every((step, i) => i >= way.length || step === way[i]))
  const { env = null, webhookNetworks } = surroundings
  const work = webhookNetworks && { env, webhookNetworks }
  const specs: NamedSpec[] = []
  let backup: BackupPlan | null = null
  if (value !== null && !wrong.some(({ path: [first] }) => first === undefined || first === "defaults")) {
    const given = value as { defaults?: Written; sources?: readonly Written[]; backup?: WrittenBackup | null }
    const { defaults = {}, sources = [], backup: wanted = null } = given
    for (const [index, source] of (Array.isArray(sources) ? sources : []).entries()) {
      if (isWrong("sources", index)) continue
      if (problems.names.indexOf(problems.names[index] ?? null) < index)
        problems.add(["sources", index, "name"], "is declared twice")
      collect(
        () => specs.push(readSourceSpec(withDefaults(source, defaults), work)),
        ({ path: at, message }) => problems.addOf(index, at, message, source, defaults),
      )
    }
    if (wanted !== null && !isWrong("backup")) {
      collect(
        () =>
          (backup = readBackupPlan(wanted, path.dirname(path.resolve(file)), surroundings.dataDir ?? null)),
        ({ path: at, message }) => problems.add(["backup", ...at], message),
      )
    }
  }
  problems.refuse(file)
  return { sources: specs, backup }
}

function collect(read: () => void, each: (problem: SourceProblem) => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    error.problems.forEach(each)
  }
}

/** The problems in a file, each once. */
class Problems {
  /** The name of each source, in order; null if it has none. */
  readonly names: readonly (string | null)[]
  readonly #yaml: ReturnType<typeof readYaml>
  /** The problems by their text. */
  readonly #found = new Map<string, FileProblem>()

  constructor(yaml: ReturnType<typeof readYaml>, names: readonly (string | null)[]) {
    this.#yaml = yaml
    this.names = names
  }

  add(at: SourceProblem["path"], message: string): void {
    const text = `${labelled(at, this.names)} ${message}`.trim()
    const place = this.#placeOf(at)
    this.#found.set(`${place.line}:${place.column} ${text}`, { place, text })
  }

  /** Adds a problem of one source with the defaults applied. A problem in the defaults is reported only once, and at the defaults. */
  addOf(index: number, at: SourceProblem["path"], message: string, source: Written, defaults: Written): void {
    const [field = "", ...rest] = at
    const isGroup = GROUPS.includes(String(field)) || field === "schedule"
    const isOwn =
      Object.hasOwn(source, field) &&
      (!isGroup ||
        rest.length === 0 ||
        typeof source[field] !== "object" ||
        this.#isThere("sources", index, ...at))
    if (!isOwn && Object.hasOwn(defaults, field)) this.add(["defaults", ...at], message)
    else this.add(["sources", index, ...at], message)
  }

  /** @throws SourcesFileError when there are any problems */
  refuse(file: string): void {
    if (this.#found.size === 0) return
    const all = [...this.#found.values()].sort(
      (a, b) => a.place!.line - b.place!.line || a.place!.column - b.place!.column,
    )
    throw new SourcesFileError(file, all)
  }

  #isThere(...at: SourceProblem["path"]): boolean {
    return this.#yaml.document.hasIn(at)
  }

  /** The place of the field, or of the part of the file in which it is missing. */
  #placeOf(at: SourceProblem["path"]): Place {
    for (let end = at.length; end > 0; end--) {
      const place = placeAt(this.#yaml, at.slice(0, end))
      if (place) return place
    }
    return { line: 1, column: 1 }
  }
}

/** Names a field for a message: `docs: limits.pages`, or `sources[3].seeds` for a source without a name. */
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

/** Groups whose fields are merged one by one; other fields are replaced as a whole. */
const GROUPS = ["limits", "politeness", "pages", "revisit", "removal"]

function withDefaults(source: Written, given: Written): Written {
  const isOfWebsites = contentFieldsOf(source).length === 0
  const ofWebsites: readonly string[] = isOfWebsites ? [] : OF_WEBSITES
  const defaults = Object.fromEntries(Object.entries(given).filter(([field]) => !ofWebsites.includes(field)))
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

/** A source's own times replace the default's; a default without times only fills in the missing settings. */
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
