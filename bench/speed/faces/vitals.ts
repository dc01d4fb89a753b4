import type { Locator, Page } from "playwright"

/** A browser's measurements of opening a page once. */
export interface Vitals {
  /** Milliseconds after the request. */
  readonly firstPaint: number
  readonly largestPaint: number
  readonly settled: number
  /** Between 0 and about 1. */
  readonly shift: number
  /** Total milliseconds by which long tasks exceed 50 ms each. */
  readonly blocking: number
  /** Number of bytes of script and of styles, as sent. */
  readonly scriptBytes: number
  readonly styleBytes: number
}

/** Runs before the page's own script and collects what the observers report. */
const GATHER = `
  window.vitals = { shift: 0, blocking: 0, largest: 0 }
  const watch = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true })
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) vitals.shift += entry.value })
  watch("longtask", (entry) => { vitals.blocking += Math.max(0, entry.duration - 50) })
  watch("largest-contentful-paint", (entry) => { vitals.largest = entry.startTime })`

const TELL = `(() => {
  const of = (ends) => performance.getEntriesByType("resource").filter(({ name }) => ends.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  return {
    firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    largestPaint: vitals.largest,
    settled: performance.now(),
    shift: vitals.shift,
    blocking: vitals.blocking,
    scriptBytes: of(/\\.js$/),
    styleBytes: of(/\\.css$/),
  }
})()`

/**
 * Opens a page with an empty cache.
 * @param slower factor by which the processor is throttled
 * @param isThere the condition to wait for
 */
export async function vitalsOf(
  page: Page,
  url: string,
  { slower, isThere }: { readonly slower: number; readonly isThere: (page: Page) => Locator },
): Promise<Vitals> {
  const session = await page.context().newCDPSession(page)
  await session.send("Network.setCacheDisabled", { cacheDisabled: true })
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower })
  await page.goto("about:blank")
  await page.goto(url, { waitUntil: "commit" })
  await isThere(page).first().waitFor()
  // Observers are notified of a paint only after it has happened.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
  const vitals = await page.evaluate<Vitals>(TELL)
  await session.detach()
  return vitals
}

/** Makes a page collect vitals from the next time it is opened. */
export const gatherVitals = (page: Page): Promise<unknown> => page.addInitScript(GATHER)
