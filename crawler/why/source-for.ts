import type { PageUrl } from "#engine"
import { defineSource, type Source } from "../sources/source.ts"
import { candidateSources, sourceNamed } from "./membership-reasons.ts"
import type { TraceParts } from "./trace.ts"

/**
 * The source whose settings an address is tried with: the one named, else the first that it belongs to, else one of
 * its own with all defaults. Null when there is none of the name.
 */
export function sourceFor(
  url: PageUrl,
  name: string | undefined,
  parts: Pick<TraceParts, "db" | "jobs" | "sources">,
): Source | null {
  if (name !== undefined) return sourceNamed(name, parts)
  const candidate = candidateSources(url, parts).find(({ belongs }) => belongs)
  return candidate?.source ?? defineSource({ seeds: [url] })
}
