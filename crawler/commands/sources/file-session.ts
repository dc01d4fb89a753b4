import { existsSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "#base/exit-codes.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { engineSettings } from "#engine/settings.ts"
import { missingFolder } from "../../upkeep/backup/scheduled/backup-folder.ts"
import { BackupTable } from "../../upkeep/backup/scheduled/backup-table.ts"
import { KnownError } from "#base/errors.ts"
import { contentOf } from "../../fetch/content/kinds.ts"
import { defineSource } from "../../source.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { type CrawlerConfig, crawlerSettings } from "../../settings.ts"
import { sourcesFile } from "../../sources/file/find-file.ts"
import { applySources, planBackup, planSources } from "../../sources/file/plan.ts"
import { Sources } from "../../sources/sources.ts"
import { type Declared, readSourcesFile, SourcesFileError } from "../../sources/file/sources-file.ts"
import { type SourceReference, strayReferences } from "../../sources/written/references.ts"
import { backupLines } from "../backups/backups-text.ts"
import { removeNow } from "./remove-now.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { planLines, teller } from "./sources-text.ts"

/** The options of `fossick sources validate`, `plan` and `apply`. */
export interface FileArguments {
  readonly command: "validate" | "plan" | "apply"
  /** Empty for the configured file, or `sources.yaml` in the working directory. */
  readonly file: string
  readonly removePages?: boolean
  /** Whether secrets may be missing here, because the crawler runs elsewhere. */
  readonly skipSecrets?: boolean
  /** Whether warnings count as errors. */
  readonly strict?: boolean
  /** Other references to sources, outside the file, if there is a state store. Left out if there are none. */
  readonly references?: (db: StateStore | null) => Promise<readonly SourceReference[]>
  /** Runs the new or changed sources, and returns the exit code. If left out, nothing runs. */
  readonly run?: (names: readonly string[], json: boolean) => Promise<number>
  readonly json: boolean
}

/** Runs one command on the sources file. @returns the exit code. @throws ArgumentsError, SettingsError */
export async function sourcesOfFile(args: FileArguments): Promise<number> {
  const { command, json, strict = false } = args
  const env = environment()
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, env)
  const file = fileFor(args.file, config.sourcesFile)
  let declared: Declared
  try {
    const { dataDir, webhookNetworks } = config
    declared = readSourcesFile(file, { dataDir, webhookNetworks, ...(!args.skipSecrets && { env }) })
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error
    if (json) process.stdout.write(`${JSON.stringify({ file, problems: error.problems.map(onWire) })}\n`)
    else process.stderr.write(`${error.message}\n`)
    return EXIT.usage
  }
  const warnings = await warningsOf(args, config.dataDir, declared)
  for (const text of json ? [] : warnings) process.stderr.write(`${strict ? "" : "warning: "}${text}\n`)
  if (strict && warnings.length > 0) {
    if (json) {
      const problems = warnings.map((message) => ({ line: null, column: null, message }))
      process.stdout.write(`${JSON.stringify({ file, problems })}\n`)
    }
    return EXIT.usage
  }
  if (command !== "validate") return await planned(args, declared, config, warnings)
  const { length } = declared.sources
  teller(json)(
    `${file}: ${counted(length, "source")}${declared.backup === null ? "" : " and a backup"}, no problems`,
    { file, sources: length, backup: declared.backup !== null, warnings },
  )
  return EXIT.ok
}

async function planned(
  { command, removePages = false, run, json }: FileArguments,
  declared: Declared,
  config: CrawlerConfig & { readonly dataDir: string },
  warnings: readonly string[],
): Promise<number> {
  let touched: readonly string[] = []
  const db = await openStateStore(config.dataDir)
  try {
    const jobs = new Jobs(db)
    const sources = new Sources(db, jobs)
    const backups = new BackupTable(db)
    const changes = await planSources(db, sources, declared.sources, config)
    const backup = planBackup((await backups.plan())?.plan ?? null, declared.backup)
    teller(json)([...planLines(changes, removePages), ...backupLines(backup)].join("\n"), {
      applied: command === "apply",
      changes,
      backup,
      warnings,
    })
    if (command === "plan") return EXIT.ok
    await applySources(sources, declared.sources, { removePages })
    await backups.declare(declared.backup)
    const code = removePages ? await removeNow(db, jobs, sources, json) : EXIT.ok
    if (code !== EXIT.ok) return code
    touched = changes.filter(({ kind }) => kind !== "removed" && kind !== "unchanged").map(({ name }) => name)
  } finally {
    db.close()
  }
  return run && touched.length > 0 ? await run(touched, json) : EXIT.ok
}

/** The state store is opened only if it exists: checking a file creates no data folder. */
async function warningsOf(
  { references, skipSecrets = false }: FileArguments,
  dataDir: string,
  declared: Declared,
): Promise<readonly string[]> {
  const db = existsSync(join(dataDir, "state.db")) ? await openStateStore(dataDir) : null
  try {
    const names = declared.sources.map(({ name }) => name)
    const stray = references ? await strayReferences(db, await references(db), names) : []
    // This is only a warning: an appliance must start even if its backup disk or a share is unavailable.
    const folder = skipSecrets || declared.backup === null ? null : missingFolder(declared.backup)
    const away = skipSecrets ? [] : await Promise.all(declared.sources.map((spec) => unreadable(spec, db)))
    return [...stray, ...away.flat(), ...(folder === null ? [] : [`backup.folder: ${folder}`])]
  } finally {
    db?.close()
  }
}

/** Why the content of a source can't be read here, in words. */
async function unreadable(spec: Declared["sources"][number], db: StateStore | null): Promise<string[]> {
  // Documents are kept in the state, which a new appliance doesn't have yet.
  if (spec.documents === true && db === null) return []
  try {
    const content = await contentOf(defineSource(spec), { db })
    await content?.check()
    return []
  } catch (error) {
    if (!(error instanceof KnownError)) throw error
    return [`${spec.name}: ${error.message}`]
  }
}

const onWire = ({ place, text }: SourcesFileError["problems"][number]) => ({
  line: place?.line ?? null,
  column: place?.column ?? null,
  message: text,
})

/** @throws ArgumentsError when no sources file is found. */
function fileFor(given: string, named: string): string {
  const file = given === "" ? sourcesFile(named) : given
  if (file === null) {
    throw new ArgumentsError(
      "There is no sources.yaml here. Create it, or name another file in FOSSICK_SOURCES_FILE",
    )
  }
  return file
}
