import { setTimeout as sleep } from "node:timers/promises"
import { type Cluster, isPassingStatus, RequestFailed } from "./cluster.ts"

/** A document to put, or with `document` null to remove. */
export interface DocumentWrite {
  readonly index: string
  readonly id: string
  /** The later write has the higher one: see `versions.ts`. */
  readonly version: number
  readonly document: object | null
}

/** One request, in characters: the cluster takes 100 MB, and keeps what it has under way in memory. */
const MOST_CHARS = 8_000_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5000

interface Item {
  readonly status: number
  readonly error?: { readonly type: string; readonly reason: string }
}

/**
 * Writes documents, and resolves when all copies that the cluster counts on have them on disk and searches see them. A write
 * that comes after a newer one of the same document changes nothing.
 *
 * @param groups documents that come and go together: of one page
 * @returns what the server said of groups that it refused, by their position
 */
export async function writeAll(
  cluster: Cluster,
  groups: readonly (readonly DocumentWrite[])[],
  patienceMs: number,
): Promise<Map<number, Error>> {
  const refused = new Map<number, Error>()
  let part: string[] = []
  let parts: number[] = []
  let chars = 0
  const indexes = new Set<string>()
  const send = async (isLast: boolean) => {
    const refresh = isLast && indexes.size > 0 && parts.length === groups.flat().length
    await sendAll(cluster, part, { refresh, patienceMs }, (at, error) => refused.set(parts[at]!, error))
    part = []
    parts = []
    chars = 0
    return refresh
  }
  for (const [at, group] of groups.entries()) {
    for (const write of group) {
      const text = linesOf(write)
      part.push(text)
      parts.push(at)
      chars += text.length
      indexes.add(write.index)
    }
    if (chars >= MOST_CHARS && at < groups.length - 1) await send(false)
  }
  if (part.length === 0) return refused
  if (await send(true)) return refused
  await cluster.ask((client) => client.indices.refresh({ index: [...indexes] }))
  return refused
}

async function sendAll(
  cluster: Cluster,
  lines: readonly string[],
  { refresh, patienceMs }: { readonly refresh: boolean; readonly patienceMs: number },
  onRefused: (at: number, error: Error) => void,
): Promise<void> {
  const until = performance.now() + patienceMs
  let left = lines.map((text, at) => ({ text, at }))
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(LAST_RETRY_MS, wait * 2)) {
    const { items } = await cluster.ask<{ items: readonly Record<string, Item>[] }>((client) =>
      client.bulk({ body: left.map(({ text }) => text).join("") as never, refresh }),
    )
    const again: typeof left = []
    let problem: RequestFailed | null = null
    for (const [i, item] of items.entries()) {
      const { status, error } = Object.values(item)[0]!
      // A newer one is there, or what was to be removed is not.
      if (!error || status === 409 || status === 404) continue
      const failed = new RequestFailed({ status, ...error })
      if (isPassingStatus(status)) {
        again.push(left[i]!)
        problem = failed
      } else if (status === 400 || status === 413) onRefused(left[i]!.at, failed)
      else throw failed
    }
    if (!problem) return
    if (performance.now() + wait > until) throw problem
    left = again
    await sleep(wait)
  }
}

/**
 * Lines of a bulk request. A write of the same version is done again, not refused: it may have come to one copy of the
 * document only, and has to come to all before it is acknowledged.
 */
function linesOf({ index, id, version, document }: DocumentWrite): string {
  const about = { _index: index, _id: id, version, version_type: "external_gte" }
  if (!document) return `${JSON.stringify({ delete: about })}\n`
  return `${JSON.stringify({ index: about })}\n${JSON.stringify(document)}\n`
}
