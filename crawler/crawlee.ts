import {
  BasicCrawler,
  Configuration,
  log,
  LogLevel,
  type Request,
  type RequestProvider,
} from "@crawlee/basic"
import type { FrontierEntry } from "./frontier.ts"

/** What {@link runCrawlee} drives. */
export interface Visits {
  /** The next visit that may start now, or null. */
  next(): FrontierEntry | null
  /** Whether {@link next} would give one. */
  hasNext(): boolean
  isFinished(): boolean
  /** Must not reject. */
  visit(entry: FrontierEntry): Promise<void>
}

/** How soon a pause for politeness is noticed to be over. */
const POLL_SECONDS = 0.05
/** Crawlee's own clock on a visit. Ours end long before, with an outcome; this one would end the crawl. */
const NEVER_SECONDS = 86_400

/**
 * Runs visits through Crawlee's autoscaled pool: as many at a time as the machine has room for, `concurrency`
 * at most. Everything Crawlee would store or fetch itself is left out: the queue is ours, and so are retries,
 * sessions have no use over plain HTTP, and its disk storage stays off.
 */
export async function runCrawlee(visits: Visits, concurrency: number): Promise<void> {
  log.setLevel(LogLevel.OFF)
  const entries = new Map<string, FrontierEntry>()
  const crawler = new BasicCrawler(
    {
      // The option `requestManager` is typed but refused at run time (3.18.1); the queue takes the same object.
      requestQueue: requestQueue(visits, entries) as unknown as RequestProvider,
      async requestHandler({ request }) {
        const entry = entries.get(request.uniqueKey)
        if (!entry) throw new Error(`${request.uniqueKey} was not handed out`)
        entries.delete(request.uniqueKey)
        await visits.visit(entry)
      },
      maxRequestRetries: 0,
      requestHandlerTimeoutSecs: NEVER_SECONDS,
      useSessionPool: false,
      minConcurrency: Math.min(4, concurrency),
      maxConcurrency: concurrency,
      autoscaledPoolOptions: {
        desiredConcurrency: concurrency,
        maybeRunIntervalSecs: POLL_SECONDS,
        loggingIntervalSecs: null,
      },
      statisticsOptions: { persistenceOptions: { enable: false }, saveErrorSnapshots: false },
      statusMessageLoggingInterval: 3600,
    },
    new Configuration({ persistStorage: false, purgeOnStart: false, systemInfoV2: true }),
  )
  await crawler.run()
}

function requestQueue(visits: Visits, entries: Map<string, FrontierEntry>) {
  let handled = 0
  const answer = (request: Request) =>
    Promise.resolve({ requestId: request.id ?? "", wasAlreadyHandled: false, wasAlreadyPresent: true })
  return {
    fetchNextRequest(): Promise<Request | null> {
      const entry = visits.next()
      if (!entry) return Promise.resolve(null)
      entries.set(entry.url, entry)
      // The pool reads these fields and no others; a real Request would validate and hash each address again.
      const request = {
        id: entry.url,
        url: entry.url,
        uniqueKey: entry.url,
        retryCount: 0,
        userData: {},
        errorMessages: [],
      }
      return Promise.resolve(request as unknown as Request)
    },
    markRequestHandled(request: Request) {
      handled += 1
      return answer(request)
    },
    reclaimRequest: answer,
    isEmpty: () => Promise.resolve(!visits.hasNext()),
    isFinished: () => Promise.resolve(visits.isFinished()),
    handledCount: () => Promise.resolve(handled),
    getTotalCount: () => 0,
    getPendingCount: () => entries.size,
    addRequest: () => Promise.reject(new Error("the frontier takes addresses, not Crawlee")),
    addRequestsBatched: () => Promise.reject(new Error("the frontier takes addresses, not Crawlee")),
  }
}
