// Limits on how many lists of a site a run or a live API call reads, and on how long each list may be.

/** sitemaps.org: one file lists at most 50,000 addresses. */
export const MAX_ADDRESSES = 50_000
/** sitemaps.org: a sitemap is at most 50 MB. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024
/** Maximum size of a feed. */
export const MAX_FEED_BYTES = 10 * 1024 * 1024
/** Maximum number of sitemaps that a run reads per site. */
export const MAX_SITEMAPS = 200
/** Maximum number of feeds that are read because a page names them; feeds that the source names are read in addition. */
export const MAX_FEEDS = 20

/** Maximum number of files that a live call reads: its caller is waiting, and a site can have thousands. */
export const MAX_LIVE_FILES = 50
/** Maximum size of one file, packed or not: 50,000 addresses, the limit of sitemaps.org, take up about 8 MB. */
export const MAX_LIVE_SITEMAP_BYTES = 10_000_000
