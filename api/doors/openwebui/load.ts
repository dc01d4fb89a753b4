import { WorkError } from "#base/process/threads/work-threads.ts"
import { withNote } from "../../server/wire/note-on-orders.ts"
import { extractCost } from "../../identity/accounts/billing/credits.ts"
import { liveDeadline, type Middleware, untilClosed } from "../../context.ts"
import { textAddressesModels } from "../../core/read/addresses-models.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import { liveUrl } from "../../core/read/live-url.ts"
import { type Material, type ObtainParts, readOrStored } from "../../core/read/read-or-stored.ts"
import { FieldReader } from "../../server/wire/fields.ts"

/** Maximum number of addresses, which is also the maximum for an extraction and the number that the loader sends. */
const MAX_URLS = 20
const MAX_URL_CHARS = 4000
const SECONDS = 30

export type LoadParts = Pick<LiveParts, "memory"> & Pick<ObtainParts, "knowledge">

/**
 * POST /openwebui/load: Open WebUI's external web loader. Pages that cannot be read are left out, because its format
 * has no place for a reason.
 */
export function externalLoad({ memory: live, knowledge }: LoadParts): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const urls = body.strings("urls", MAX_URLS, MAX_URL_CHARS)
    if (urls === undefined || urls.length === 0) {
      throw body.refusal("urls", `Must be a list of 1 to ${MAX_URLS} addresses.`)
    }
    body.end()
    const { bill, reach, log } = ctx.state
    const signal = liveDeadline(ctx, SECONDS)
    const memory = untilClosed(ctx, live.open())
    await bill.reserve(extractCost("advanced", urls.length))
    const parts = { reach, reader: memory.metered(reach.reader), knowledge }
    const load = async (given: string) => {
      const url = liveUrl(given)
      if (url === null) return []
      const read = await readOrStored(url, { signal, rendering: "auto" }, READ_NOW, parts)
      const loaded = read.material && (await documentOf(given, read.material, signal))
      if (loaded) return [loaded]
      log.info({ because: read.unread?.kind ?? "late" }, "a page could not be loaded")
      return []
    }
    const loaded = (await Promise.all([...new Set(urls)].map(load))).flat()
    memory.failures(loaded.length)
    await bill.settle(extractCost("advanced", loaded.length), { depth: "advanced" })
    ctx.body = loaded
  }
}

const READ_NOW = { maxAgeMs: 0, isOfIndex: true }

/** A page in the loader's format; null if its text cannot be processed, or not in time. */
async function documentOf(given: string, material: Material, signal: AbortSignal) {
  const { title, description, language, markdown } =
    material.kind === "read" ? material.reading.extracted : material.page
  try {
    const addressesModels = await textAddressesModels(`${title}\n${markdown}`, signal)
    return {
      page_content: withNote(markdown, addressesModels),
      metadata: {
        source: given,
        title,
        ...(description !== null && { description }),
        ...(language !== null && { language }),
      },
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof WorkError)) throw error
    return null
  }
}
