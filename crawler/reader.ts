import type { CrawlerConfig } from "./config.ts"
import type { Reader } from "./reading.ts"

export interface ReaderOptions {
  /** Hosts that may be read though private, beside the settings' networks: `host`, `host:port`. */
  readonly allow?: readonly string[]
}

/** A {@link Reader}. Threads start with the first page and end when there is nothing to do; close it all the same. */
export function createReader(config: CrawlerConfig, options: ReaderOptions = {}): Reader {
  throw new Error(`not yet: ${config.userAgent} ${options.allow?.join(",")}`)
}
