import type { Boosted } from "./preferences.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"

/** The share of the hits that one host may take before others get a turn, and the minimum number that it may take. */
const HOST_SHARE = 0.6
const HOST_LEAST = 2
/** Only pages whose value is at least this share of the crowding page's value are moved before it. */
const CLOSE = 0.92

/**
 * The best `limit` pages; if one host has too many, some are moved behind pages on other hosts that match nearly as
 * well. No page is dropped: if no page on another host comes close, the order is kept.
 *
 * @param ranked best first, including all pages that could move up
 */
export function spreadHosts<Page extends Boosted>(
  ranked: readonly Page[],
  limit: number,
  facts: ReadonlyMap<string, PageFacts>,
): Page[] {
  const most = Math.max(HOST_LEAST, Math.ceil(limit * HOST_SHARE))
  const hostOf = ({ id }: Boosted) => facts.get(id)?.host.replace(/^www\./, "")
  const left = [...ranked]
  const chosen: Page[] = []
  const taken = new Map<string, number>()
  while (chosen.length < limit && left.length > 0) {
    const best = left[0]!
    const free = (one: Boosted) => (taken.get(hostOf(one) ?? one.id) ?? 0) < most
    const close = (one: Boosted) => one.fused + one.boost >= CLOSE * (best.fused + best.boost)
    const at = free(best)
      ? 0
      : Math.max(
          0,
          left.findIndex((one) => free(one) && close(one)),
        )
    const [next] = left.splice(at, 1)
    const host = hostOf(next!) ?? next!.id
    taken.set(host, (taken.get(host) ?? 0) + 1)
    chosen.push(next!)
  }
  return chosen
}
