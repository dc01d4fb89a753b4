import type { Engine } from "../../../engine.ts"
import { EngineError } from "../../../errors.ts"
import { type GenerationContext, fittingEmbedder, sameTarget } from "../generation-context.ts"
import type { Target } from "../generation-file.ts"
import type { UpgradeOptions } from "./upgrade.ts"
import { openForWriting, openWith } from "../open-for-writing.ts"
import { syncPages } from "./sync.ts"

export interface RolledBack {
  /** The new current generation. */
  readonly to: string
  /** Number of pages that were crawled or changed since the swap and were copied back; `null` if they couldn't be read. */
  readonly changed: number | null
}

/**
 * Makes the previous generation the current one again, with everything crawled since; the other one is kept, so that
 * the same call switches forward again. The abandoned generation isn't rebuilt automatically.
 *
 * @returns null if no previous generation is kept, or if the rollback was interrupted; in both cases nothing has
 * changed.
 * @throws EngineError `INDEX_LOCKED`, `ENGINE_UNAVAILABLE`, `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`
 */
export async function rollBack(
  context: GenerationContext,
  options: UpgradeOptions,
): Promise<RolledBack | null> {
  const { adapter, file } = context
  const { current, previous } = await file.read()
  const to = previous && (await adapter.info(previous.name))
  // A rollback is also possible from an index that can't be read.
  const from = await adapter.info(current).catch(() => null)
  if (!previous || previous.isDamaged || !to) return null
  const use = adapter.useOf(to.format)
  if (use === "too-new" || use === "too-old") {
    throw new EngineError(
      use === "too-new" ? "INDEX_FORMAT_TOO_NEW" : "INDEX_FORMAT_TOO_OLD",
      `The index that was kept has format ${to.format}, which this Fossick cannot read; it writes ${adapter.format}.`,
    )
  }
  let changed: number | null = null
  if (from && adapter.useOf(from.format) === "written") {
    // The lock is held until the swap, so that no crawl writes to the generation being abandoned.
    await using engine = await openForWriting(context, "off")
    if ((await file.read()).current !== current) return null
    if (use === "written") changed = await syncBack(context, engine, previous.name, options)
    if (options.signal.aborted) return null
    await swapBack(context, from, to)
  } else {
    await swapBack(context, from, to)
  }
  return { to: previous.name, changed }
}

async function syncBack(
  context: GenerationContext,
  from: Engine,
  name: string,
  { signal, onProgress }: UpgradeOptions,
): Promise<number> {
  const { adapter, file } = context
  const info = await adapter.info(name)
  const fitting = await fittingEmbedder(context, await file.read(), info)
  const { embedder } = fitting
  const { pages: all, embedder: other } = await from.stats()
  await using to = await openWith(fitting, () =>
    adapter.open(name, { mode: "write", embedder, embedding: "off" }),
  )
  let compared = 0
  try {
    const { loaded, removed } = await syncPages({
      from,
      to,
      withVectors: other === embedder.id,
      signal,
      onProgress: (_, pages) => {
        compared += pages
        onProgress?.({ step: "pages", done: compared, of: all })
      },
    })
    return loaded + removed
  } catch (error) {
    if (signal.aborted) return 0
    throw error
  }
}

async function swapBack({ file }: GenerationContext, from: Target | null, to: Target): Promise<void> {
  await file.change(({ current, previous, building, dropping, declined }) => ({
    current: previous!.name,
    previous: { name: current, replacedAt: new Date().toISOString() },
    building: null,
    dropping: building ? [...dropping, building.name] : dropping,
    // An operator who returns to the rejected target has changed their mind.
    declined: from && !sameTarget(declined, to) ? { format: from.format, embedder: from.embedder } : null,
  }))
}
