import { isPrivateByName } from "../guard/allowed-networks.ts"
import { isRefusedOrUnknown, UNREACHABLE_HOST, untilTold } from "../concealed.ts"
import type { Reader, ReadResult } from "../../reading.ts"

/**
 * A reader for callers of the API.
 * @param onRefused receives the details that the caller does not get
 */
export function concealingReader(
  reader: Pick<Reader, "read" | "sitemap">,
  onRefused: (url: string, detail: string) => void,
): Pick<Reader, "read" | "sitemap"> {
  return {
    // There is nothing to conceal here: a walk reads sitemaps only after it has reached the site's page.
    sitemap: (site, options) => reader.sitemap(site, options),
    async read(url, options = {}) {
      const startedAt = performance.now()
      const result = await reader.read(url, options)
      if (result.kind !== "failed" || !isRefusedOrUnknown(result)) return result
      onRefused(url, result.detail)
      // If the address itself is private, the caller knows that anyway.
      const target = URL.parse(url)
      if (target !== null && isPrivateByName(target)) return { ...result, because: "blocked-address" }
      await untilTold(startedAt, options.signal)
      return { ...result, because: "dns", detail: UNREACHABLE_HOST } satisfies ReadResult
    },
  }
}
