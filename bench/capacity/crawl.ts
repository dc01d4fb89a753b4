export interface Pace {
  /** Seconds between the end of a request to a host and the next request. */
  readonly pauseSeconds: number
  /** Seconds per request, including the site's answer. */
  readonly requestSeconds: number
  /** Number of simultaneous requests from all crawlers together. */
  readonly atATime: number
  /** Pages per second that the processors of all crawlers can read. */
  readonly pagesPerSecond: number
}

export interface Crawl {
  readonly seconds: number
  /** Seconds until 95% of the pages had been read. */
  readonly secondsTo95: number
  /** Number of hosts that still had pages left at that time. */
  readonly hostsAfter95: number
}

const MOST = 0.95

/** Number of pages on each host, the largest first, by Zipf's law: the n-th host has a share of 1/n, but at least one page. */
export function pagesOfHosts(pages: number, hosts: number): number[] {
  let sum = 0
  for (let place = 1; place <= hosts; place++) sum += 1 / place
  return Array.from({ length: hosts }, (_, at) => Math.max(1, Math.round(pages / ((at + 1) * sum))))
}

/**
 * Simulates a first crawl of hosts, each of which is asked for one page at a time with a pause in between. While there
 * is capacity for all hosts with pages left, each goes at its own pace; otherwise all share the capacity.
 */
export function crawl(pagesOfHost: readonly number[], pace: Pace): Crawl {
  const ownRate = 1 / (pace.pauseSeconds + pace.requestSeconds)
  const rateOfAll = Math.min(pace.atATime / pace.requestSeconds, pace.pagesPerSecond)
  const sizes = pagesOfHost.toSorted((a, b) => a - b)
  const most = MOST * sizes.reduce((sum, size) => sum + size, 0)
  let [seconds, readOfEach, readOfAll] = [0, 0, 0]
  let after: Pick<Crawl, "secondsTo95" | "hostsAfter95"> | null = null
  for (const [at, size] of sizes.entries()) {
    // The smallest hosts are done first, since all are asked equally often.
    const active = sizes.length - at
    const rate = Math.min(ownRate, rateOfAll / active)
    const readNow = (size - readOfEach) * active
    if (after === null && readOfAll + readNow >= most) {
      const secondsTo95 = seconds + (most - readOfAll) / active / rate
      after = { secondsTo95, hostsAfter95: active }
    }
    seconds += (size - readOfEach) / rate
    readOfEach = size
    readOfAll += readNow
  }
  return { seconds, ...(after ?? { secondsTo95: seconds, hostsAfter95: 0 }) }
}
