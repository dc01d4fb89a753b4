import { CallPlaces } from "./call-places.ts"
import { EventStreams } from "./event-streams.ts"
import { FairGate } from "./fair-gate.ts"

/** What calls pass through, one of each in a process: whoever searches or reads pages waits in the same line. */
export interface Gates {
  readonly searches: FairGate
  /** Reads of live pages. */
  readonly reads: FairGate
  /** Calls that read live pages. */
  readonly liveCalls: CallPlaces
  /** Streams of the console, which last a minute each. */
  readonly eventStreams: EventStreams
}

export function openGates(config: {
  readonly searches: number
  readonly searchQueue: number
  readonly searchWaitSeconds: number
  readonly liveReads: number
  readonly liveCalls: number
  readonly eventStreams: number
}): Gates {
  return {
    searches: new FairGate({
      places: config.searches,
      queue: config.searchQueue,
      waitMs: config.searchWaitSeconds * 1000,
    }),
    // As many wait as calls are let in, and each of those has a deadline of its own.
    reads: new FairGate({ places: config.liveReads }),
    liveCalls: new CallPlaces(config.liveCalls),
    eventStreams: new EventStreams(config.eventStreams),
  }
}
