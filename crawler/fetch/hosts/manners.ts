import { AllowedNetworks, isPrivateByName } from "../guard/allowed-networks.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { type ContentField, contentFieldsOf, type Source, type SourceAuthor } from "../../source.ts"
import type { HostManners } from "./host-paces.ts"

export type PaceConfig = Pick<
  CrawlerConfig,
  "allowedNetworks" | "ownHosts" | "fetchConcurrency" | "hostConcurrency" | "hostDelayMs"
>

/** Whether a host is the operator's own, because the settings name it or its address is private. Such a host may be read at full speed. */
export function ownHosts({
  allowedNetworks,
  ownHosts: named,
}: Pick<PaceConfig, "allowedNetworks" | "ownHosts">): (url: URL) => boolean {
  const own = new AllowedNetworks([...allowedNetworks, ...named])
  return (url) => isPrivateByName(url) || own.name(url)
}

/**
 * How fast the hosts of a source are visited: as the source specifies, or else the settings. A source declared over the
 * API may be slower than the settings, but never faster.
 */
export function mannersOf(
  source: Pick<Source, "politeness"> & Partial<Pick<Source, ContentField>>,
  author: SourceAuthor,
  config: PaceConfig,
): (url: string) => HostManners {
  const { concurrency, delayMs } = source.politeness
  const isOwn = ownHosts(config)
  // Content other than websites needs no requests for its pages.
  const isContent = contentFieldsOf(source).length > 0
  return (url) => {
    const set = paceSet(config, isContent || isOwn(new URL(url)))
    if (author === "operator")
      return { concurrency: concurrency ?? set.concurrency, delayMs: delayMs ?? set.delayMs }
    return {
      concurrency: Math.min(concurrency ?? set.concurrency, set.concurrency),
      delayMs: Math.max(delayMs ?? set.delayMs, set.delayMs),
    }
  }
}

/** How fast hosts are visited according to the settings. */
export const paceSet = (config: PaceConfig, isOwn: boolean): HostManners =>
  isOwn
    ? { concurrency: config.fetchConcurrency, delayMs: 0 }
    : { concurrency: config.hostConcurrency, delayMs: config.hostDelayMs }
