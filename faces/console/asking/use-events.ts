import { addressOf } from "../../session/appliance.ts"

/** The topics of events. */
const NAMES = ["runs", "vectors", "removals"] as const

/** Called when something has changed, and when the stream opens or breaks. */
type Listener = (change: "changed" | "state") => void

const listeners = new Set<Listener>()
let source: EventSource | null = null
let isUp = false

/** Whether events are arriving; while they aren't, screens poll. */
export const areToldOfChanges = (): boolean => isUp

/**
 * Reports changes, over one stream for the whole page (HTML Living Standard, 9.2: the browser reconnects on its own
 * when the stream ends). The stream is closed while the page is hidden: browsers open only six connections to a server,
 * and each tab would use one.
 * @returns a function that stops the reports
 */
export function onChanges(listener: Listener): () => void {
  if (listeners.size === 0) document.addEventListener("visibilitychange", follow)
  listeners.add(listener)
  follow()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    document.removeEventListener("visibilitychange", follow)
    follow()
  }
}

const tell = (change: "changed" | "state") => {
  for (const listener of listeners) listener(change)
}

function setUp(is: boolean): void {
  if (isUp === is) return
  isUp = is
  tell("state")
}

function follow(): void {
  const isWanted = listeners.size > 0 && !document.hidden
  if (isWanted === (source !== null)) return
  if (!isWanted) {
    source?.close()
    source = null
    isUp = false
    return
  }
  const opened = new EventSource(addressOf("admin/events"))
  source = opened
  opened.addEventListener("open", () => setUp(true))
  opened.addEventListener("error", () => {
    // Each stream ends after a minute, and no change between streams is missed. A refused stream stays closed.
    if (opened.readyState === EventSource.CLOSED) setUp(false)
    else
      setTimeout(() => source === opened && opened.readyState !== EventSource.OPEN && setUp(false), AGAIN_MS)
  })
  for (const name of NAMES) opened.addEventListener(name, () => tell("changed"))
}

/** How long a stream may take to reopen before it counts as down; the browser reconnects after a second. */
const AGAIN_MS = 3000
