import type { Tried } from "./try-page.ts"

/** The result of a trial in the form returned to programs, by both the command and the admin API. */
export function triedOnWire(tried: Tried) {
  const { url, source, belongs, robots, reading, outcome, detail, page, passages, tookMs } = tried
  return {
    url,
    source: source.name,
    belongs,
    outcome,
    detail,
    robots,
    reading: reading && {
      url: reading.url,
      status: reading.status,
      content_type: reading.contentType,
      bytes: reading.bytes,
      canonical: reading.canonical,
      noindex: reading.noindex,
      nofollow: reading.nofollow,
      links: reading.links,
      feeds: reading.feeds,
      note: reading.note,
    },
    page: page && {
      title: page.title,
      description: page.description,
      language: page.language,
      author: page.author,
      published_at: page.publishedAt,
      topic: page.topic,
      country: page.country,
      unsafe: page.unsafe,
      images: page.images,
      favicon: page.favicon,
      markdown: page.markdown,
      passages,
    },
    took_ms: tookMs,
  }
}
