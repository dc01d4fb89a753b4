import { READERS_TAG } from "../../headers/site-readers.ts"
import type { DocumentFacts } from "./metadata.ts"

export function readDescription(facts: Pick<DocumentFacts, "meta">): string | null {
  return (
    facts.meta.get("description") ??
    facts.meta.get("og:description") ??
    facts.meta.get("twitter:description") ??
    null
  )
}

/** The contents of the tags that say who may read a page. */
export const readReaderTags = ({ meta }: Pick<DocumentFacts, "meta">): string[] =>
  meta.get(READERS_TAG)?.split("\n") ?? []

export function readRobots(facts: Pick<DocumentFacts, "meta">): { noindex: boolean; nofollow: boolean } {
  const rules = `${facts.meta.get("robots") ?? ""},${facts.meta.get("fossick") ?? ""}`
    .toLowerCase()
    .split(/[\s,]+/)
  const none = rules.includes("none")
  return { noindex: none || rules.includes("noindex"), nofollow: none || rules.includes("nofollow") }
}
