import { setTimeout as sleep } from "node:timers/promises"
import { type Cluster, failureIn, isPassingStatus, RequestFailed } from "./cluster.ts"

/** A document to write, or to remove if `document` is `null`. */
export interface DocumentWrite {
  readonly index: string
  readonly id: string
  /** A later write has a higher version: see `versions.ts`. */
  readonly version: number
  readonly document: object | null
}

/** Maximum size of a request in characters: the cluster accepts 100 MB, and keeps requests in progress in memory. */
const MOST_CHARS = 8_000_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5000

interface Item {
  readonly status: number
  readonly error?: { readonly type: string; readonly reason: string }
}

/** Groups that were not written as sent, keyed by position. */
export interface NotWritten {
  /** The server's messages for groups that it refused. */
  readonly refused: ReadonlyMap<number, Error>
  /** Groups for which the cluster has a newer document, or had one until it was removed, with its version. */
  readonly late: ReadonlyMap<number, number>
}

/**
 * Writes documents, and resolves when all copies that the cluster relies on have them on disk and searches see them. A
 * write that arrives after a newer write of the same document changes nothing.
 *
 * @param groups groups of documents that are written together: those of one page
 */
export async function writeAll(
  cluster: Cluster,
  groups: readonly (readonly DocumentWrite[])[],
  patienceMs: number,
): Promise<NotWritten> {
  const refused = new Map<number, Error>()
  const late = new Map<number, number>()
  let part: string[] = []
  let parts: number[] = []
  let chars = 0
  const indexes = new Set<string>()
  const send = async (isLast: boolean) => {
    const refresh = isLast && indexes.size > 0 && parts.length === groups.flat().length
    await sendAll(cluster, part, {
      refresh,
      patienceMs,
      onRefused: (at, error) => refused.set(parts[at]!, error),
      onLate: (at, version) => late.set(parts[at]!, Math.max(version, late.get(parts[at]!) ?? 0)),
    })
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
  const notWritten = { refused, late }
  if (part.length === 0) return notWritten
  if (await send(true)) return notWritten
  await cluster.ask((client) => client.indices.refresh({ index: [...indexes] }))
  return notWritten
}

interface Sending {
  readonly refresh: boolean
  readonly patienceMs: number
  readonly onRefused: (at: number, error: Error) => void
  readonly onLate: (at: number, version: number) => void
}

/** The server reports the version of an existing or removed document only as text. */
const CURRENT_VERSION = /current version \[(\d+)\]/

async function sendAll(
  cluster: Cluster,
  lines: readonly string[],
  { refresh, patienceMs, onRefused, onLate }: Sending,
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
      // The document to remove does not exist.
      if (!error || status === 404) continue
      const failed = new RequestFailed(failureIn(status, error))
      if (status === 409) {
        const [, version] = CURRENT_VERSION.exec(error.reason) ?? []
        if (version === undefined) throw failed
        onLate(left[i]!.at, Number(version))
        continue
      }
      if (isPassingStatus(failed.failure.status)) {
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
 * Lines of a bulk request. A write of the same version is repeated, not refused: it might have reached only one copy of
 * the document, and must reach all before it is acknowledged.
 */
function linesOf({ index, id, version, document }: DocumentWrite): string {
  const about = { _index: index, _id: id, version, version_type: "external_gte" }
  if (!document) return `${JSON.stringify({ delete: about })}\n`
  return `${JSON.stringify({ index: about })}\n${JSON.stringify(document)}\n`
}
