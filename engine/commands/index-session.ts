import { DiskRoom } from "#base/disk-space.ts"
import { setTimeout as sleep } from "node:timers/promises"
import { interruptSignal } from "#base/process/interrupt.ts"
import { steadyNow } from "#base/steady-time.ts"
import { engineSettings } from "../settings.ts"
import { EngineError } from "../errors.ts"
import { EXIT } from "#base/exit-codes.ts"
import { fillingText } from "../lifecycle/filling/filling-text.ts"
import { openGenerations } from "../open-engine.ts"
import { environment, readSettings } from "#base/settings.ts"
import { READERS_FOLLOW_MS, dropUnwanted } from "../lifecycle/generations/building/build.ts"
import type { GenerationContext } from "../lifecycle/generations/generation-context.ts"
import { openForWriting } from "../lifecycle/generations/open-for-writing.ts"
import { type Finding, checkIndex, repairIndex } from "../lifecycle/generations/repair.ts"
import { rollBack } from "../lifecycle/generations/building/rollback.ts"
import { asWanted } from "../lifecycle/generations/model-choice.ts"
import { askForModel } from "../lifecycle/generations/model-change.ts"
import {
  type GenerationStatus,
  type IndexStatus,
  type ModelStatus,
  indexStatus,
  whyThisModel,
} from "../lifecycle/generations/status.ts"
import { upgradeNow } from "../lifecycle/generations/building/upgrade-now.ts"
import type { UpgradeProgress } from "../lifecycle/generations/building/upgrade.ts"

const PROGRESS_EVERY_MS = 2000
/** How long to wait for the lock: a crawler that has just finished releases the index within this time. */
const PATIENCE_MS = 10_000
const TRY_AGAIN_MS = 250

export interface IndexArguments {
  /** For `model`: a model name, a folder or `auto`; if omitted, the model is only reported. */
  readonly model?: string | undefined
  readonly command: "model" | "status" | "check" | "repair" | "upgrade" | "rollback" | "drop"
  readonly json: boolean
}

interface Session {
  readonly context: GenerationContext
  readonly keepDays: number
  /** FOSSICK_MODEL, or FOSSICK_EMBEDDINGS_MODEL if a server creates the vectors. */
  readonly setting: string
  /** The requested model. */
  readonly given: string | undefined
  readonly signal: AbortSignal
  /** Prints text for people, or with `json` an object for programs. */
  readonly say: (text: string, json: object) => void
  readonly progress: (progress: UpgradeProgress) => void
}

/** Runs `fossick index`. @returns the exit code. @throws EngineError */
export async function indexSession({ command, model: given, json }: IndexArguments): Promise<number> {
  const settings = readSettings(engineSettings, environment())
  const stop = interruptSignal()
  const room = new DiskRoom(settings.dataDir, settings.minFreeMb)
  if (command === "upgrade" || command === "rollback") room.assertRoom()
  using told = room.untilLow(stop, (note) => process.stderr.write(`${note}\n`))
  await using context = await openGenerations(settings, {
    onProblem: (error) => process.stderr.write(`${(error as Error).message}\n`),
  })
  const say = (text: string, object: object) =>
    process.stdout.write(`${json ? JSON.stringify(object, null, 2) : text}\n`)
  const session: Session = {
    context,
    keepDays: settings.rollbackDays,
    setting: settings.embeddingsUrl === "" ? settings.model : settings.embeddingsModel,
    given,
    signal: told.signal,
    say,
    progress: shownNowAndThen(),
  }
  return await whenFree(() => ({ model, status, check, repair, upgrade, rollback, drop })[command](session))
}

/** Retries for a while if another process is writing. @throws EngineError `INDEX_LOCKED` */
async function whenFree(work: () => Promise<number>): Promise<number> {
  for (const until = steadyNow() + PATIENCE_MS; ;) {
    try {
      return await work()
    } catch (error) {
      const isLocked = error instanceof EngineError && error.code === "INDEX_LOCKED"
      if (!isLocked || steadyNow() > until) throw error
      await sleep(TRY_AGAIN_MS)
    }
  }
}

async function status({ context, keepDays, setting, say }: Session): Promise<number> {
  const found = await indexStatus(context, keepDays, setting)
  say(asText(found), found)
  return EXIT.ok
}

async function model({ context, keepDays, setting, given, say }: Session): Promise<number> {
  if (given !== undefined) {
    await askForModel(context.file, asWanted(given))
  }
  const { model: found } = await indexStatus(context, keepDays, setting)
  const lines = [modelLine(found)]
  if (given !== undefined) {
    lines.push(
      setting === ""
        ? "A running appliance builds an index for this model beside the one in use; fossick index upgrade builds it now."
        : "The settings specify a model and take precedence: clear FOSSICK_MODEL or FOSSICK_EMBEDDINGS_URL to use this one.",
    )
  }
  say(lines.join("\n"), found)
  return EXIT.ok
}

function modelLine(status: ModelStatus): string {
  const { setting, wanted, chosen, suited } = status
  const name = setting ?? (wanted === "auto" ? (chosen ?? "english") : wanted)
  const advice = suited ? `; ${suited} would suit better: fossick index model ${suited} switches to it` : ""
  return `Model        ${name}, ${whyThisModel(status)}${advice}`
}

async function check({ context, say }: Session): Promise<number> {
  const findings = await checkIndex(context)
  if (findings.length === 0) say("All files of the index are intact.", { findings })
  else say(findings.map(inWords).join("\n"), { findings })
  return findings.length === 0 ? EXIT.ok : EXIT.failed
}

async function repair({ context, signal, say, progress }: Session): Promise<number> {
  const { findings, pages: held, lost } = await repairIndex(context, { signal, onProgress: progress })
  if (findings.length === 0) {
    say("All files of the index are intact; there is nothing to repair.", { findings })
    return EXIT.ok
  }
  const isDone = findings.every(({ repaired }) => repaired)
  const lines = findings.map(inWords)
  if (!isDone) lines.push("Stopped; nothing has changed. Run the command again to continue.")
  if (held !== null) lines.push(`The index was rebuilt with ${pages(held)}.`)
  if (lost) lines.push(`${pages(lost)} could not be read: crawl their sources again.`)
  if (held !== null) lines.push("The running appliance, or fossick index upgrade, makes the missing vectors.")
  say(lines.join("\n"), { findings, pages: held, lost })
  return isDone ? EXIT.ok : EXIT.interrupted
}

async function upgrade({ context, keepDays, setting, signal, say, progress }: Session): Promise<number> {
  if (!(await upgradeNow(context, { signal, onProgress: progress }))) {
    say("Stopped; the finished part is kept. Run the command again to continue.", { upgraded: false })
    return EXIT.interrupted
  }
  const found = await indexStatus(context, keepDays, setting)
  say(`The index is up to date.\n${asText(found)}`, { upgraded: true, ...found })
  return EXIT.ok
}

async function rollback({ context, signal, say, progress }: Session): Promise<number> {
  const done = await rollBack(context, { signal, onProgress: progress })
  if (!done && signal.aborted) {
    say("Stopped; nothing has changed.", { current: null })
    return EXIT.interrupted
  }
  if (!done) {
    say("No earlier index is kept, so there is nothing to go back to.", { current: null })
    return EXIT.failed
  }
  const { to, changed } = done
  const since =
    changed === null
      ? "Pages crawled since then could not be copied: crawl the ones you need again."
      : `${pages(changed)} changed since then and were copied.`
  say(`${to} is in use again. ${since}`, { current: to, changed })
  return EXIT.ok
}

async function drop({ context, say }: Session): Promise<number> {
  const { file } = context
  const { previous } = await file.read()
  if (!previous) {
    say("No earlier index is kept.", { dropped: null })
    return EXIT.ok
  }
  // Holding the index open for writing prevents a rollback in the meantime.
  await using _ = await openForWriting(context, "off")
  const leftMs = Date.parse(previous.replacedAt) + READERS_FOLLOW_MS - Date.now()
  if (leftMs > 0) await sleep(leftMs)
  await file.change((now) =>
    now.previous?.name === previous.name
      ? { previous: null, dropping: [...now.dropping, previous.name] }
      : {},
  )
  await dropUnwanted(context)
  say(`${previous.name} was deleted.`, { dropped: previous.name })
  return EXIT.ok
}

function asText({
  current,
  previous,
  building,
  due,
  declined,
  model: chosen,
  modelServer,
}: IndexStatus): string {
  const lines = [`In use       ${described(current)}`]
  if (building) lines.push(`Being built  ${described(building)}`)
  if (previous?.isDamaged) lines.push(`Damaged      ${previous.name}: no longer in use, about to be deleted`)
  else if (previous)
    lines.push(`Kept         ${described(previous)}, until ${previous.keptUntil.slice(0, 10)}`)
  if (due && !building) {
    lines.push(`To be built  format ${due.format}, ${due.embedder}: a running appliance builds it`)
  }
  if (modelServer?.problem) {
    lines.push(`Vectors      waiting: ${modelServer.problem} Questions are answered by words alone.`)
  }
  if (declined) lines.push(`Not built    format ${declined.format}, ${declined.embedder}: rolled back`)
  if (current.format !== null) lines.push(modelLine(chosen))
  return lines.join("\n")
}

function described({
  name,
  format,
  embedder,
  pages: count,
  pagesWithoutVectors: left,
  passagesWithoutVectors,
  vectorsPerSecond,
}: GenerationStatus): string {
  if (format === null) return `${name}: empty`
  const held = count === null ? "not searched by this version" : pages(count)
  const said = `${name}: ${held} (format ${format}, ${embedder})`
  if (!left) return said
  const waiting = {
    pagesWithoutVectors: left,
    passagesWithoutVectors: passagesWithoutVectors ?? 0,
    vectorsPerSecond,
  }
  return `${said}\n             ${fillingText(waiting)}`
}

const inWords = ({ file, damage, wayBack, repaired }: Finding): string =>
  `${file} ${damage}. ${repaired ? "Repaired." : wayBack}`

const pages = (count: number): string => `${count} ${count === 1 ? "page" : "pages"}`

function shownNowAndThen(): (progress: UpgradeProgress) => void {
  let shownAt = 0
  return ({ step, done, of }) => {
    if (steadyNow() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = steadyNow()
    const what = step === "pages" ? "pages copied" : "pages with vectors"
    process.stderr.write(`${done} of ${of} ${what}\n`)
  }
}
