import type { IncomingMessage } from "node:http"

import type { HumanHash } from "./human-ids.ts"

/** A caller's own information about a call; each field is empty if not given. */
export interface Tracking {
  readonly project: string
  readonly session: string
  /** Hashed; the id the caller sent is not stored. */
  readonly human: string
}

/** Maximum number of an id's characters that are stored: callers choose ids, which can be anything. */
const MAX_ID_CHARS = 200
const HUMAN_HEADER = "x-human-id"

/**
 * Reads `X-Project-ID`, `X-Session-Id` and `X-Human-Id` from a request. `X-Human-Id` names a person: it is hashed and
 * removed from the request here, before anything else can see, log or pass it on.
 */
export function readTracking(request: IncomingMessage, hash: HumanHash): Tracking {
  const human = idOf(request, HUMAN_HEADER)
  forget(request, HUMAN_HEADER)
  return {
    project: idOf(request, "x-project-id"),
    session: idOf(request, "x-session-id"),
    human: human === "" ? "" : hash(human),
  }
}

function idOf({ headers }: IncomingMessage, name: string): string {
  // A single string, even for a header that was sent twice: Node makes a list only for Set-Cookie.
  const value = headers[name]
  return (typeof value === "string" ? value : "").trim().slice(0, MAX_ID_CHARS)
}

function forget(request: IncomingMessage, name: string): void {
  delete request.headers[name]
  request.rawHeaders = request.rawHeaders.filter((_, i, raw) => raw[i - (i % 2)]!.toLowerCase() !== name)
}
