// How many lists a run or a call reads of a site, and how long they may be.

/** sitemaps.org: one file lists at most 50,000 addresses. */
export const MAX_ADDRESSES = 50_000
/** sitemaps.org: a sitemap has at most 50 MB. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024
/** Of a feed. */
export const MAX_FEED_BYTES = 10 * 1024 * 1024
/** Sitemaps of one site. */
export const MAX_SITEMAPS = 200
/** Feeds that pages name; those of the source are read beside them. */
export const MAX_FEEDS = 20

/** Files of one look: a call that somebody waits for reads no more of a site that has thousands. */
export const MAX_LIVE_FILES = 50
/** Of a file, packed or not. 50,000 addresses, the most that sitemaps.org lets one have, take about 8 MB. */
export const MAX_LIVE_SITEMAP_BYTES = 10_000_000
