import type { GenerationContext } from "./generation-context.ts"
import { fits, refuseFormat, sameTarget } from "./generation-context.ts"
import { type Target, nextName } from "./generation-file.ts"

/** Readers have gone over to a generation when it has been the current one for so long. */
export const READERS_FOLLOW_MS = 10_000
const DAY_MS = 86_400_000

/**
 * What the index is to be made for: another format, or the model that the settings name. Null when it is made for that
 * already, when there is no index, or when a rollback went back from the very same.
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

/** The generation under construction for a target: the one that was begun, or a new name. */
export async function buildingFor(context: GenerationContext, target: Target): Promise<string> {
  const { adapter, file } = context
  const generations = await file.read()
  const { building } = generations
  if (building && sameTarget(building, target)) return building.name
  const name = nextName(generations)
  // Nobody knows this name: what is there is a rest of a time whose file is lost.
  await adapter.drop(name)
  const { format, embedder } = target
  await file.change(({ dropping }) => ({
    building: { name, format, embedder },
    dropping: building ? [...dropping, building.name] : dropping,
  }))
  return name
}

/** Makes another generation the current one, and keeps the one before. */
export async function swapTo(context: GenerationContext, name: string): Promise<void> {
  const replacedAt = new Date().toISOString()
  await context.file.change(({ current, previous, dropping }) => ({
    current: name,
    previous: { name: current, replacedAt },
    building: null,
    declined: null,
    dropping: previous && previous.name !== name ? [...dropping, previous.name] : dropping,
  }))
}

/** When the previous generation goes. */
export const keptUntil = (replacedAt: string, keepDays: number): Date =>
  new Date(Date.parse(replacedAt) + Math.max(keepDays * DAY_MS, READERS_FOLLOW_MS))

/**
 * Deletes generations that are not wanted any more: those said to go, the previous one after its days, and one whose
 * construction was begun for what is no longer wanted. Only for whoever may write to the current one.
 */
export async function tidyGenerations(context: GenerationContext, keepDays: number): Promise<void> {
  const { adapter, file, models } = context
  const { previous, building, declined } = await file.read()
  const wanted = { format: adapter.format, embedder: models.configured.id }
  // The settings have asked for something else since: asked for again, it is meant.
  if (declined && !sameTarget(declined, wanted)) await file.change(() => ({ declined: null }))
  const target = await targetDue(context)
  const isAbandoned = building !== null && !(target && sameTarget(building, target))
  const isOver = previous !== null && Date.now() >= keptUntil(previous.replacedAt, keepDays).getTime()
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
