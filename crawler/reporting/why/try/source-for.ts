import type { PageUrl } from "#engine"
import { defineSource, type Source } from "../../../source.ts"
import { candidateSources, sourceNamed } from "../membership-reasons.ts"
import type { TraceParts } from "../step.ts"

/** A source to try an address with. */
interface Chosen {
  readonly source: Source
  /** Made up of defaults, since the address belongs to none. */
  readonly isMadeUp: boolean
}

/** The source of that name, else the first that the address belongs to. Null when there is none of the name. */
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
