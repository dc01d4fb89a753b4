import type { PageUrl } from "#engine"
import { defineSource, type Source } from "../../../source.ts"
import { candidateSources, sourceNamed } from "../membership-reasons.ts"
import type { TraceParts } from "../step.ts"

/** The source to try an address with. */
interface Chosen {
  readonly source: Source
  /** Whether the source was made from the defaults, because the address belongs to no source. */
  readonly isMadeUp: boolean
}

/** The source with that name, otherwise the first one that the address belongs to. Null if there is no source with that name. */
export async function sourceFor(
  url: PageUrl,
  name: string | undefined,
  parts: Pick<TraceParts, "db" | "jobs" | "sources">,
): Promise<Chosen | null> {
  if (name !== undefined) {
    const source = await sourceNamed(name, parts)
    return source && { source, isMadeUp: false }
  }
  const candidate = (await candidateSources(url, parts)).find(({ belongs }) => belongs)
  return candidate
    ? { source: candidate.source, isMadeUp: false }
    : { source: defineSource({ seeds: [url] }), isMadeUp: true }
}
