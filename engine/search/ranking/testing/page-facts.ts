import type { PageFacts } from "../../../index/page/page-facts.ts"

/** Facts about a page on its own host, all unknown unless given. */
export const pageFacts = (id: string, about: Partial<PageFacts> = {}): PageFacts => ({
  url: `https://${about.host ?? `${id}.example`}/`,
  title: id,
  host: `${id}.example`,
  domain: `${id}.example`,
  port: 443,
  language: null,
  country: null,
  topic: null,
  published: null,
  fingerprint: { exact: id, similar: null },
  ...about,
})
