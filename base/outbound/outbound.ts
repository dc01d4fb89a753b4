import { isOnServer, type StateStore, transaction } from "#base/store/state-store.ts"

import { OutboundLedger } from "./outbound-ledger.ts"
import type { OutboundPurpose } from "./purposes.ts"

/** Connections since the last write. */
interface Talked {
  readonly purpose: OutboundPurpose
  readonly host: string
  first: number
  last: number
  count: number
}

/** Maximum number of hosts waiting to be recorded; any more are dropped, because a crawl that contacts a thousand hosts within seconds will contact them again soon. */
const MOST_WAITING = 5000
const WRITE_EVERY_MS = 5000

const talked = new Map<string, Talked>()

/**
 * Records that a connection was made, or a request answered. Every module that opens connections calls this function: a
 * test looks for modules that do not (docs/house).
 * @param host name or address, with its port if that is not the usual one; no other part of a URL
 */
export function noteOutbound(purpose: OutboundPurpose, host: string, at = Date.now()): void {
  const key = `${purpose} ${host}`
  const known = talked.get(key)
  if (known) {
    known.last = at
    known.count += 1
  } else if (talked.size < MOST_WAITING) talked.set(key, { purpose, host, first: at, last: at, count: 1 })
}

/** Whether this process made connections since the last write. */
export const hasTalked = (): boolean => talked.size > 0

/** Records which hosts this process contacted. If that fails, for example on a full disk, the next round tries again. */
export async function writeOutbound(db: StateStore): Promise<void> {
  if (talked.size === 0) return
  const notes = [...talked.values()]
  talked.clear()
  try {
    const ledger = new OutboundLedger(db)
    await transaction(db, () => ledger.add(notes))
  } catch {
    // The store is locked, or the disk is full: the notes are kept for the next round.
    for (const note of notes) putBack(note)
  }
}

/** Merges a note back, to be written with those that arrived since. */
function putBack(note: Talked): void {
  const key = `${note.purpose} ${note.host}`
  const since = talked.get(key)
  if (since === undefined) talked.set(key, note)
  else talked.set(key, { ...note, last: since.last, count: note.count + since.count })
}

/** Records the hosts that this process contacts, at intervals and at the end. Dispose of the returned object before the connection is closed. */
export function keepOutbound(db: StateStore): AsyncDisposable {
  // The store's own connections are noted here, since the ledger itself is kept in the store.
  if (isOnServer(db)) noteOutbound("state", db.host)
  const timer = setInterval(() => void writeOutbound(db), WRITE_EVERY_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await writeOutbound(db)
    },
  }
}
