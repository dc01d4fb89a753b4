import type { Engine } from "../../../engine.ts"
import { EngineError } from "../../../errors.ts"
import type { GenerationAdapter, OpenGenerationOptions } from "../../../adapters/adapter.ts"
import type { GenerationContext } from "../generation-context.ts"
import { fits, refuseFormat, sameTarget } from "../generation-context.ts"
import { type PreviousGeneration, type Target, nextName } from "../generation-file.ts"

/** Readers have gone over to a generation when it has been the current one for so long. */
export const READERS_FOLLOW_MS = 10_000
const DAY_MS = 86_400_000
/** Room for a second index, and some for pages crawled meanwhile. */
const SPARE = 1.25

/**
 * The target of the next build: another format, or the model that the settings name. Null when it is made for that already, when
 * there is no index, or when a rollback went back from the very same.
 *
 * @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `ENGINE_UNAVAILABLE`
 */
export async function targetDue(context: GenerationContext): Promise<Target | null> {
  const { adapter, file, models } = context
  const { current, declined } = await file.read()
  const info = await adapter.info(current)
  if (!info) return null
  refuseFormat(context, info)
  if (info.format === adapter.format && fits(info, models.configured)) return null
  const target = { format: adapter.format, embedder: models.configured.id }
  return sameTarget(declined, target) ? null : target
}

/**
 * The generation under construction for a target: the one that was begun, or a new name.
 *
 * @throws EngineError `NO_ROOM`
 */
export async function buildingFor(context: GenerationContext, target: Target): Promise<string> {
  const { adapter, file } = context
  const generations = await file.read()
  const { building } = generations
  if (building && sameTarget(building, target)) return building.name
  await refuseWithoutRoom(context, generations.current)
  const name = nextName(generations)
  // Nothing refers to this name: it is left over from a time whose file is lost.
  await adapter.drop(name)
  const { format, embedder } = target
  await file.change(({ dropping }) => ({
    building: { name, format, embedder },
    dropping: building ? [...dropping, building.name] : dropping,
  }))
  return name
}

/** A second index is about as large as the first. A full disk would stop the crawls, too, so nothing is begun then. */
async function refuseWithoutRoom({ adapter }: GenerationContext, current: string): Promise<void> {
  const room = await adapter.room?.(current)
  if (!room || room.free > room.taken * SPARE) return
  const [needed, free] = [room.taken * SPARE, room.free].map((bytes) => Math.ceil(bytes / 1_000_000))
  throw new EngineError(
    "NO_ROOM",
    `Rebuilding the index takes about ${needed} MB of disk beside it, but only ${free} MB are free. Make room: the next crawl or start tries again. Or set FOSSICK_MODEL back.`,
  )
}

/**
 * The generation under construction, for writing. One that cannot be opened, as after a loss of power, is given up: the
 * next building begins with another one.
 */
export async function openBuilding(
  { adapter, file, onProblem }: GenerationContext,
  name: string,
  options: Pick<OpenGenerationOptions, "embedder" | "embedding">,
): Promise<Engine> {
  try {
    return await adapter.open(name, { ...options, mode: "write", ...(onProblem && { onProblem }) })
  } catch (error) {
    const isDamaged =
      error instanceof EngineError && (error.code === "ENGINE_UNAVAILABLE" || error.code === "INDEX_DAMAGED")
    // Where the adapter's server is away nothing can be said, and nothing is given up.
    if (isDamaged && (await isReachable(adapter, name))) {
      await file.change(({ dropping }) => ({ building: null, dropping: [...dropping, name] }))
    }
    throw error
  }
}

function isReachable(adapter: GenerationAdapter, name: string): Promise<boolean> {
  return adapter.info(name).then(
    () => true,
    () => false,
  )
}

/** Makes another generation the current one, and keeps the one before; a damaged one only until readers have let go of it. */
export async function swapTo(
  context: GenerationContext,
  name: string,
  before: Pick<PreviousGeneration, "isDamaged"> = {},
): Promise<void> {
  const replacedAt = new Date().toISOString()
  await context.file.change(({ current, previous, dropping }) => ({
    current: name,
    previous: { name: current, replacedAt, ...before },
    building: null,
    declined: null,
    dropping: previous && previous.name !== name ? [...dropping, previous.name] : dropping,
  }))
}

/** When the previous generation goes. */
export const keptUntil = (
  { replacedAt, isDamaged = false }: Omit<PreviousGeneration, "name">,
  keepDays: number,
): Date => new Date(Date.parse(replacedAt) + Math.max(isDamaged ? 0 : keepDays * DAY_MS, READERS_FOLLOW_MS))

/**
 * Deletes generations that are not wanted any more: those said to go, the previous one after its days, and one whose construction
 * began for a target that is no longer wanted. Only for the process that may write to the current one.
 * @param keepDays Infinity: while the clock is in doubt
 */
export async function tidyGenerations(context: GenerationContext, keepDays: number): Promise<void> {
  const { adapter, file, models } = context
  const { previous, building, declined } = await file.read()
  const wanted = { format: adapter.format, embedder: models.configured.id }
  // The settings have asked for something else since: asked for again, it is meant.
  if (declined && !sameTarget(declined, wanted)) await file.change(() => ({ declined: null }))
  const target = await targetDue(context)
  const isAbandoned = building !== null && !(target && sameTarget(building, target))
  if (previous !== null && Date.parse(previous.replacedAt) > Date.now() + DAY_MS) {
    // With a clock that was ahead, it would be kept for as long again.
    const replacedAt = new Date().toISOString()
    await file.change(({ previous: now }) => ({ previous: now && { ...now, replacedAt } }))
  }
  const isOver = previous !== null && Date.now() >= keptUntil(previous, keepDays).getTime()
  if (isAbandoned || isOver) {
    await file.change(({ dropping }) => ({
      ...(isAbandoned && { building: null }),
      ...(isOver && { previous: null }),
      dropping: [...dropping, ...(isAbandoned ? [building.name] : []), ...(isOver ? [previous.name] : [])],
    }))
  }
  await dropUnwanted(context)
}

/** Deletes what the file says is to go; what cannot be deleted now is tried again the next time. */
export async function dropUnwanted({ adapter, file, onProblem }: GenerationContext): Promise<void> {
  const { dropping } = await file.read()
  for (const name of dropping) {
    try {
      await adapter.drop(name)
    } catch (error) {
      onProblem?.(error)
      continue
    }
    await file.change((now) => ({ dropping: now.dropping.filter((one) => one !== name) }))
  }
}
