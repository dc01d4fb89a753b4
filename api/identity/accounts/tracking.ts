import type { IncomingMessage } from "node:http"

import type { HumanHash } from "./human-ids.ts"

/** What a caller says about a call, each field empty for nothing. */
export interface Tracking {
  readonly project: string
  readonly session: string
  /** Hashed; the id the caller sent is not stored. */
  readonly human: string
}

/** Ids are the caller's own and may be anything; only this much of one is stored. */
const MAX_ID_CHARS = 200
const HUMAN_HEADER = "x-human-id"

/**
 * Reads `X-Project-ID`, `X-Session-Id` and `X-Human-Id` off a request. The last names a person: it is hashed and taken
 * out of the request here, before anything else can see, log or pass it on.
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
  // One text, also of a header that came twice: Node makes a list of Set-Cookie alone.
  const value = headers[name]
  return (typeof value === "string" ? value : "").trim().slice(0, MAX_ID_CHARS)
}

function forget(request: IncomingMessage, name: string): void {
  delete request.headers[name]
  request.rawHeaders = request.rawHeaders.filter((_, i, raw) => raw[i - (i % 2)]!.toLowerCase() !== name)
}
