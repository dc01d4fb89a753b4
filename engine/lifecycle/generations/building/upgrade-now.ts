import type { Engine } from "../../../engine.ts"
import { dropUnwanted, targetDue } from "./build.ts"
import type { GenerationContext } from "../generation-context.ts"
import { openForWriting } from "../open-for-writing.ts"
import { Upgrade, type UpgradeOptions, settled, upgradeFormat } from "./upgrade.ts"

/**
 * Brings the index up to date in the foreground: to the current format and the configured model, with all vectors
 * created. A target abandoned by a rollback is built as well.
 *
 * @returns false if it was interrupted; another call continues.
 * @throws EngineError `INDEX_LOCKED` while another process is writing, and the errors of `openForWriting`
 */
export async function upgradeNow(context: GenerationContext, options: UpgradeOptions): Promise<boolean> {
  const { signal } = options
  await context.file.change(() => ({ declined: null }))
  await upgradeFormat(context, options)
  if (!signal.aborted && (await targetDue(context))) {
    await using engine = await openForWriting(context, "off")
    await new Upgrade(context, engine).work(options)
  }
  if (signal.aborted) return false
  await using engine = await openForWriting(context)
  await dropUnwanted(context)
  return await vectorsMade(engine, options)
}

async function vectorsMade(engine: Engine, options: UpgradeOptions): Promise<boolean> {
  try {
    await settled(engine, options)
    return true
  } catch (error) {
    if (options.signal.aborted) return false
    throw error
  }
}
