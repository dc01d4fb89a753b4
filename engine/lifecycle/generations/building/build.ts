import type { Engine } from "../../../engine.ts"
import { EngineError } from "../../../errors.ts"
import type { GenerationAdapter, OpenGenerationOptions } from "../../../adapters/adapter.ts"
import type { GenerationContext } from "../generation-context.ts"
import { fits, refuseFormat, sameTarget } from "../generation-context.ts"
import { type PreviousGeneration, type Target, nextName } from "../generation-file.ts"

/** The time after which readers have switched to a new current generation. */
export const READERS_FOLLOW_MS = 10_000
const DAY_MS = 86_400_000
/** Factor for the disk space needed: room for a second index, plus some for pages crawled in the meantime. */
const SPARE = 1.25

/**
 * The target of the next build: another format, or the model that the settings name. `null` if the index already has
 * these, if there is no index, or if that target was abandoned by a rollback.
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
 * The generation being built for a target: the one already begun, or a new name.
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
  // Nothing refers to this name: anything stored under it was left over from a lost generations file.
  await adapter.drop(name)
  const { format, embedder } = target
  await file.change(({ dropping }) => ({
    building: { name, format, embedder },
    dropping: building ? [...dropping, building.name] : dropping,
  }))
  return name
}

/** A second index is about as large as the first. A full disk would also stop the crawls, so in that case nothing is begun. */
async function refuseWithoutRoom({ adapter }: GenerationContext, current: string): Promise<void> {
  const room = await adapter.room?.(current)
  if (!room || room.free > room.taken * SPARE) return
  const [needed, free] = [room.taken * SPARE, room.free].map((bytes) => Math.ceil(bytes / 1_000_000))
  throw new EngineError(
    "NO_ROOM",
    `Rebuilding the index needs about ${needed} MB of additional disk space, but only ${free} MB are free. Free up space: the rebuild is tried again at the next crawl or start. Or set FOSSICK_MODEL back to its previous value.`,
  )
}

/**
 * The generation being built, opened for writing. If it can't be opened, for example after a power failure, it is
 * abandoned: the next build starts a new one.
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
    // If the adapter's server is unreachable, the state is unknown, so nothing is abandoned.
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

/** Makes another generation the current one, and keeps the previous one; a damaged one is kept only until readers have released it. */
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

/** The time at which the previous generation is deleted. */
export const keptUntil = (
  { replacedAt, isDamaged = false }: Omit<PreviousGeneration, "name">,
  keepDays: number,
): Date => new Date(Date.parse(replacedAt) + Math.max(isDamaged ? 0 : keepDays * DAY_MS, READERS_FOLLOW_MS))

/**
 * Deletes generations that are no longer wanted: those marked for deletion, the previous one after `keepDays`, and one
 * being built for a target that is no longer wanted. Only for the process that may write to the current one.
 * @param keepDays Infinity while the clock is in doubt
 */
export async function tidyGenerations(context: GenerationContext, keepDays: number): Promise<void> {
  const { adapter, file, models } = context
  const { previous, building, declined } = await file.read()
  const wanted = { format: adapter.format, embedder: models.configured.id }
  // The settings have named another target since then; if they name the declined one again, that is intended.
  if (declined && !sameTarget(declined, wanted)) await file.change(() => ({ declined: null }))
  const target = await targetDue(context)
  const isAbandoned = building !== null && !(target && sameTarget(building, target))
  if (previous !== null && Date.parse(previous.replacedAt) > Date.now() + DAY_MS) {
    // If the clock was ahead when the date was stored, the generation would otherwise be kept for that much longer.
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

/** Deletes the generations marked for deletion in the file; if one can't be deleted now, the next call tries again. */
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
