import { existsSync } from "node:fs"
import path from "node:path"
import { EngineError } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { SHIPPED_MODELS, shippedModelOf } from "#engine/shipped-models.ts"
import { openEmbedder } from "#engine/models/embedders/open-embedder.ts"
import { CommandProgress, counted } from "#engine/commands/command-progress.ts"
import { fileProblem } from "#engine/lifecycle/move/file-problem.ts"
import { interruptible } from "#engine/lifecycle/move/interruptible.ts"
import { openEngine } from "#engine/open-engine.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings, type Values } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"
import { contentsOf, finishRestore, isInUse, isWhole } from "./data-folder.ts"
import { verifyBackup } from "./read-backup.ts"
import type { OpenParts } from "./foreign-code.ts"
import { restore } from "./restore.ts"

/** Checks a backup and describes it. */
export async function runVerify(file: string, json: boolean): Promise<number> {
  const { fossick, createdAt, engine, exportedPages: pages } = await checked(file)
  if (json) process.stdout.write(`${JSON.stringify({ file, fossick, createdAt, engine, pages })}\n`)
  else
    process.stdout.write(
      `${file} is complete and undamaged: ${counted(pages, "page")}, backed up at ${createdAt} by Fossick ${fossick}.\n`,
    )
  return 0
}

export interface RestoreArguments {
  readonly force: boolean
  /** Whether to write the result as an object; if `null`, writes nothing and prints no next steps. */
  readonly json: boolean | null
  /** See {@link RestoreOptions.openParts}. */
  readonly openParts?: OpenParts
  /** The settings; default: those of this process. */
  readonly env?: NodeJS.ProcessEnv
}

export async function runRestore(
  file: string,
  { force, json, openParts, env = environment() }: RestoreArguments,
): Promise<number> {
  const settings = readSettings(engineSettings, env)
  const { dataDir } = settings
  const progress = new CommandProgress()
  await refuseOccupied(settings, force)
  if (isWhole(dataDir)) {
    const aside = await finishRestore(dataDir)
    progress.say(
      `The interrupted restore is finished${aside === null ? "" : `; the previous data is in ${aside}`}.`,
    )
    progress.say("To restore a different backup, run the command again with --force.")
    return 0
  }
  return await interruptible(
    async (signal) => {
      const { fossick, createdAt, exportedPages, embedder: model } = await checked(file)
      progress.say(
        `Restoring the backup made by Fossick ${fossick} at ${createdAt}: ${counted(exportedPages, "page")}.`,
      )
      // The settings don't say which of the shipped models is used, but the backup does.
      const shipped = settings.model === "" ? shippedModelOf(model) : null
      await using embedder = await openEmbedder({
        ...settings,
        model: shipped ? SHIPPED_MODELS[shipped] : settings.model,
      })
      if (embedder.id !== model) {
        progress.say(
          `The backup was made with the model ${model}, but this appliance uses ${embedder.id}. The pages will be restored without vectors and embedded after the next start.`,
        )
      }
      const startedAt = steadyNow()
      const { index, mended, images, foreign, aside } = await restore(file, {
        dataDir,
        ...(openParts && { openParts }),
        force,
        signal,
        openEngine: (folder) =>
          openEngine({ ...settings, dataDir: folder }, { mode: "write", embedding: "off", embedder }),
        onProgress: (what, count) =>
          progress.show(() =>
            what === "images"
              ? `${counted(count, "thumbnail")} restored`
              : `${counted(count, "page")} ${what === "index" ? "restored" : "compared"}`,
          ),
      })
      const seconds = Math.round((steadyNow() - startedAt) / 100) / 10
      progress.say(
        `Done: ${counted(index.totals.pages, "page")} and ${counted(images, "thumbnail")} in ${seconds} s.`,
      )
      if (mended.addresses > 0) {
        progress.say(
          `${counted(mended.addresses, "address")} changed while the backup was being made; the next crawl visits them again.`,
        )
      }
      if (foreign.length > 0) {
        progress.say(
          `Left out: ${foreign.map((name) => JSON.stringify(name.slice(0, 100))).join(", ")}. These would run automatically in state.db, and Fossick didn't create them. Find out who wrote to the backup or to the state before it, and replace the keys.`,
        )
      }
      if (aside !== null)
        progress.say(`The previous data is in ${aside}; delete it when you no longer need it.`)
      if (json !== null) progress.say("To start the appliance, run fossick start.")
      if (json)
        process.stdout.write(
          `${JSON.stringify({ file, ...index.totals, images, mended, foreign, aside, seconds })}\n`,
        )
      return 0
    },
    () => {
      progress.say("Stopped. Nothing was restored, and the existing data is unchanged.")
    },
  )
}

async function checked(file: string): ReturnType<typeof verifyBackup> {
  return await verifyBackup(file).catch((error: unknown) => Promise.reject(fileProblem(error, file)))
}

/** @throws CommandError when a process is using the data folder, or it contains files that may not be replaced */
async function refuseOccupied(settings: Values<typeof engineSettings>, force: boolean): Promise<void> {
  const { dataDir } = settings
  if (await isInUse(dataDir)) {
    throw new CommandError(
      `An appliance or a crawl is using ${dataDir}. Stop it first; after a crash, wait ten seconds.`,
    )
  }
  const contents = await contentsOf(dataDir)
  if (contents.length > 0 && !force && !isWhole(dataDir)) {
    throw new CommandError(
      `${dataDir} is not empty (${contents.slice(0, 5).join(", ")}). To restore anyway and move the existing data aside, use --force.`,
    )
  }
  if (contents.length > 0) await refuseWriter(settings)
}

/** An import or a re-embedding can only be detected by its lock. */
async function refuseWriter(settings: Values<typeof engineSettings>): Promise<void> {
  const isIndexThere = ["index", "generations", "locks"].some((name) =>
    existsSync(path.join(settings.dataDir, name)),
  )
  if (!isIndexThere) return
  try {
    await (await openEngine(settings, { mode: "write", embedding: "off" }))[Symbol.asyncDispose]()
  } catch (error) {
    if (error instanceof EngineError && error.code === "INDEX_LOCKED") throw error
  }
}
