import path from "node:path"
import { EngineError } from "../../errors.ts"
import type { CheckDepth, Damage, Harm, IndexInfo } from "../../adapters/adapter.ts"
import { swapTo } from "./building/build.ts"
import { type GenerationContext, fittingEmbedder } from "./generation-context.ts"
import { FIRST_GENERATION, type Generations } from "./generation-file.ts"
import { openForWriting } from "./open-for-writing.ts"
import { buildFrom, type UpgradeOptions } from "./building/upgrade.ts"

/** A file that is missing or whose content differs from what was written, and how to restore its content. */
export interface Finding {
  /** Path relative to the data folder. */
  readonly file: string
  /** Completes a sentence whose subject is the file. */
  readonly damage: string
  /** How to restore the content, in whole sentences. */
  readonly wayBack: string
  readonly repaired: boolean
}

export interface Repair {
  readonly findings: readonly Finding[]
  /** Number of pages that the index contains now; `null` if it wasn't rebuilt. */
  readonly pages: number | null
  /** Number of pages known to be in the index that couldn't be read: they must be fetched again. `null` if unknown. */
  readonly lost: number | null
}

const WAYS_BACK: Readonly<Record<Harm, string>> = {
  pages:
    "The index will be rebuilt from the pages that can be read; the others will be fetched again by the next crawl of their source (fossick crawl, fossick sources run).",
  words: "It will be rebuilt from the pages.",
  vectors: "They will be recomputed from the pages; until then, pages are found by their words alone.",
  ranking: "The counts will be recomputed from the pages.",
  names: "It will be written again.",
}
const BY_ITSELF = "The crawler process does this when it starts, or run `fossick index repair` to do it now."

/** Damage to the index in use, and to generations kept or being built beside it. Changes nothing. @throws EngineError */
export async function checkIndex(context: GenerationContext, depth: CheckDepth = "all"): Promise<Finding[]> {
  const { file } = context
  const findings = (await file.damage()).map(({ path: damaged, damage }): Finding => ({
    file: `generations/${path.basename(damaged)}`,
    damage,
    wayBack: `It will be written again, from its copy or from the existing indexes. ${BY_ITSELF}`,
    repaired: false,
  }))
  const generations = await readOrGuess(context)
  for (const name of [generations.current, generations.previous?.name, generations.building?.name]) {
    if (name === undefined || (name === generations.previous?.name && generations.previous.isDamaged))
      continue
    for (const { file: damaged, damage, harms } of await damageOf(context, name)(depth)) {
      const way = name === generations.current ? WAYS_BACK[harms] : "It is not in use, and will be deleted."
      findings.push({ file: damaged, damage, wayBack: `${way} ${BY_ITSELF}`, repaired: false })
    }
  }
  return findings
}

/**
 * Finds damage, like {@link checkIndex}, and repairs it by rebuilding the indexes from the pages that can still be
 * read. A new generation replaces the damaged one, so that readers follow, and a process that dies in the middle leaves
 * everything as it was.
 *
 * @returns the findings, repaired unless the repair was interrupted
 * @throws EngineError `INDEX_LOCKED` while another process is writing, `NO_ROOM`
 */
export async function repairIndex(
  context: GenerationContext,
  { depth = "all", ...options }: UpgradeOptions & { readonly depth?: CheckDepth },
): Promise<Repair> {
  const { file } = context
  const findings = await checkIndex(context, depth)
  const found = (repaired: boolean) => findings.map((finding) => ({ ...finding, repaired }))
  if (findings.length === 0) return { findings, pages: null, lost: null }
  if ((await file.damage()).length > 0) {
    const generations = await readOrGuess(context)
    await file.mend(generations)
  }
  await giveUpUnused(context, depth)
  const { current, previous } = await file.read()
  const damage = await damageOf(context, current)(depth)
  if (damage.some((one) => one.file === current) && previous && !previous.isDamaged) {
    await file.change(() => ({ current: previous.name, previous: null }))
    return { findings: found(true), pages: null, lost: null }
  }
  const isRebuilt = damage.some(({ harms }) => harms !== "names" && harms !== "ranking")
  if (!isRebuilt) {
    // Opening the index for writing repairs these.
    if (damage.length > 0) await (await openForWriting(context, "off"))[Symbol.asyncDispose]()
    return { findings: found(true), pages: null, lost: null }
  }
  const before = await countOf(context, current)
  const pages = await rebuild(context, options)
  if (pages === null) return { findings: found(false), pages: null, lost: null }
  return { findings: found(true), pages, lost: before === null ? null : Math.max(0, before - pages) }
}

/** Copies everything readable from the current generation into a new one. @returns the number of pages copied; null when it was interrupted */
async function rebuild(
  context: GenerationContext,
  { signal, onProgress }: UpgradeOptions,
): Promise<number | null> {
  const { adapter, file, models } = context
  const generations = await file.read()
  const { current } = generations
  await using from = await adapter.openDamaged!(current)
  if ((await file.read()).current !== current) return null
  const info = await infoOf(context, current)
  await using fitting = await fittingEmbedder(context, generations, info)
  const embedder = fitting.isMissing ? models.configured : fitting.embedder
  const withVectors = info?.embedder === embedder.id
  const built = await buildFrom(context, from, { embedder, withVectors, signal, onProgress })
  if (built === null) return null
  await swapTo(context, built.name, { isDamaged: true })
  return built.pages
}

/** Abandons a damaged generation that is kept or being built beside the current one, because it is useless. */
async function giveUpUnused(context: GenerationContext, depth: CheckDepth): Promise<void> {
  const { file } = context
  const { previous, building } = await file.read()
  const isDamaged = async (name: string | undefined) =>
    name !== undefined && (await damageOf(context, name)(depth)).length > 0
  const [noWayBack, noBuilding] = [
    !previous?.isDamaged && (await isDamaged(previous?.name)),
    await isDamaged(building?.name),
  ]
  if (!noWayBack && !noBuilding) return
  await file.change(({ dropping }) => ({
    ...(noWayBack && { previous: null }),
    ...(noBuilding && { building: null }),
    dropping: [...dropping, ...(noWayBack ? [previous!.name] : []), ...(noBuilding ? [building!.name] : [])],
  }))
}

/**
 * The content of the file; if it can't be read, the generation with the most pages counts as the current one, or the
 * newer one if two have equally many.
 */
async function readOrGuess({
  adapter,
  file,
}: GenerationContext): Promise<Partial<Generations> & Pick<Generations, "current">> {
  try {
    return await file.read()
  } catch (error) {
    if (!(error instanceof EngineError && error.code === "INDEX_DAMAGED")) throw error
    const present = (await adapter.present?.()) ?? []
    const number = (name: string) => Number(name.split("-")[1] ?? 1)
    const [best, ...others] = present.toSorted(
      (one, other) => other.pages - one.pages || number(other.name) - number(one.name),
    )
    return { current: best?.name ?? FIRST_GENERATION, dropping: others.map(({ name }) => name) }
  }
}

const damageOf =
  ({ adapter, file }: GenerationContext, name: string) =>
  async (depth: CheckDepth): Promise<readonly Damage[]> => {
    const damage = (await adapter.check?.(name, depth)) ?? []
    if (damage.length > 0 || !adapter.check || name === FIRST_GENERATION) return damage
    // The first generation is created if it is missing; any other must have been created before.
    const isThere = (await adapter.present?.())?.some((one) => one.name === name) ?? true
    const { building } = await file.read().catch(() => ({ building: null }))
    if (isThere || building?.name === name) return damage
    return [{ file: name, damage: "is missing, with everything that was in it", harms: "pages" }]
  }

/** `null` if unknown. */
async function infoOf({ adapter }: GenerationContext, name: string): Promise<IndexInfo | null> {
  return await adapter.info(name).catch(() => null)
}

/** Number of pages that a damaged generation was known to contain; `null` if unknown. */
async function countOf({ adapter }: GenerationContext, name: string): Promise<number | null> {
  return (await adapter.indexed?.(name)) ?? null
}
