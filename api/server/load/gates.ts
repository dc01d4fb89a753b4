import { FairPool } from "#base/flow/fair-pool.ts"

import { ApiError } from "../../errors.ts"

/**
 * The queues that calls pass through, one of each kind per process: for example, all callers that search or read pages
 * wait in the same queue.
 */
export interface Gates {
  readonly searches: FairPool
  /** The queue for reads of live pages. */
  readonly reads: FairPool
  /** The queue for calls that read live pages. */
  readonly liveCalls: FairPool
  /** The queue for the console's streams, which last a minute each. */
  readonly eventStreams: FairPool
}

const LIVE_RETRY_SECONDS = 5
const STREAM_RETRY_SECONDS = 30

export function openGates(config: {
  readonly searches: number
  readonly searchQueue: number
  readonly searchWaitSeconds: number
  readonly liveReads: number
  readonly liveCalls: number
  readonly eventStreams: number
}): Gates {
  return {
    searches: new FairPool("searches", {
      places: config.searches,
      queue: config.searchQueue,
      waitMs: config.searchWaitSeconds * 1000,
      refusal: (seconds) =>
        tooMany(`The server is too busy to answer in time. Try again in ${seconds} s.`, seconds),
    }),
    // Every admitted call may wait, and each waiting call has its own deadline.
    reads: new FairPool("live-reads", { places: config.liveReads }),
    liveCalls: new FairPool("live-calls", { places: config.liveCalls }),
    eventStreams: new FairPool("event-streams", { places: config.eventStreams }),
  }
}

/** @throws ApiError 429 with `Retry-After` when this key gets no place */
export function enterLiveCall({ liveCalls }: Pick<Gates, "liveCalls">, key: string): () => void {
  const text = `Too many extract, crawl and map calls are in progress. Try again in ${LIVE_RETRY_SECONDS} s.`
  return entered(liveCalls, key, text, LIVE_RETRY_SECONDS)
}

/** @throws ApiError 429 with `Retry-After` when this key gets no place */
export function enterStream(eventStreams: FairPool, key: string): () => void {
  const text = `At most ${eventStreams.places} event streams can be open at a time, half of them for one key. Use ordinary requests instead.`
  return entered(eventStreams, key, text, STREAM_RETRY_SECONDS)
}

function entered(pool: FairPool, key: string, refusal: string, seconds: number): () => void {
  const leave = pool.enter(key)
  if (leave === null) throw tooMany(refusal, seconds)
  return leave
}

const tooMany = (text: string, seconds: number): ApiError =>
  new ApiError(429, text, {}, { "Retry-After": String(seconds) })
