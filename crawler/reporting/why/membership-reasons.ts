import { landingsIn } from "../../jobs/landings.ts"
import { latestRuns } from "../../jobs/source-runs.ts"
import type { PageUrl } from "#engine"
import { addressPatterns } from "../../crawl/scope/globs.ts"
import { membership } from "../../crawl/scope/scope.ts"
import type { Source } from "../../source.ts"
import type { Candidate, Step, Subject, TraceParts } from "./step.ts"

/** Declared sources, and one-off crawls that were never declared, starting with those the address belongs to. */
export async function candidateSources(
  url: PageUrl,
  { db, sources }: Pick<TraceParts, "db" | "sources">,
): Promise<Candidate[]> {
  const declared = new Map((await sources.list()).map(({ source }) => [source.name, source]))
  const crawled = await latestRuns(db)
  const landed = async (name: string) => {
    const run = crawled.find(({ source }) => source.name === name)
    return run === undefined ? new Map<string, PageUrl>() : await landingsIn(db, run.id)
  }
  const undeclared = crawled.map(({ source }) => source).filter(({ name }) => !declared.has(name))
  const all = await Promise.all(
    [...declared.values(), ...undeclared].map(async (source): Promise<Candidate> => {
      const landings = await landed(source.name)
      const reason = reasonOf(url, source, landings)
      const anywhere = { ...source, include: [], exclude: [] }
      return {
        source,
        declared: declared.has(source.name),
        ...reason,
        isNear: membership({ ...anywhere, scope: "domain" }, landings)(url),
      }
    }),
  )
  return all.sort((a, b) => Number(b.belongs) - Number(a.belongs) || Number(b.isNear) - Number(a.isNear))
}

function reasonOf(
  url: PageUrl,
  source: Source,
  landings: ReadonlyMap<string, PageUrl>,
): Pick<Candidate, "belongs" | "because"> {
  const seeds = source.seeds.map((seed) => landings.get(seed) ?? seed).join(", ")
  const within = `the ${source.scope} of ${seeds}`
  if (membership(source, landings)(url)) return { belongs: true, because: `covers ${within}` }
  const isInside = membership({ ...source, include: [], exclude: [] }, landings)(url)
  if (!isInside) return { belongs: false, because: `covers only ${within}` }
  const excluding = source.exclude.find((pattern) => addressPatterns("exclude", [pattern])(url))
  if (excluding !== undefined)
    return { belongs: false, because: `excludes it with ${JSON.stringify(excluding)}` }
  return {
    belongs: false,
    because: `includes only ${source.include.map((pattern) => JSON.stringify(pattern)).join(", ")}`,
  }
}

const SHOWN = 3

export async function sourceStep({ url, candidates, known, parts }: Subject): Promise<Step> {
  const facts = {
    sources: candidates
      .filter(({ belongs, isNear }) => belongs || isNear)
      .map(({ source, declared, belongs, because }) => ({ name: source.name, declared, belongs, because })),
  }
  const mine = candidates.filter(({ belongs }) => belongs)
  if (mine.length > 0) {
    const failed = (
      await Promise.all(
        mine.map(async ({ source: { name } }) => {
          const [last] = await parts.jobs.list({ source: name, limit: 1 })
          return last?.state === "failed" ? [{ name, error: last.error }] : []
        }),
      )
    ).flat()
    const failures = failed.map(
      ({ name, error }) => `the last run of ${name} failed: ${error ?? "no reason given"}`,
    )
    const covers = mine.map(({ source, because }) => `${source.name} ${because}`)
    // If the page was never read, the failures are the reason why it is missing.
    const verdict = failures.length === mine.length && known === null ? "no" : "yes"
    return {
      name: "source",
      verdict,
      text: [...failures, ...covers].join("; "),
      facts: { ...facts, failed_runs: failed },
    }
  }
  const near = candidates.filter(({ isNear }) => isNear).slice(0, SHOWN)
  const why =
    near.length > 0
      ? near.map(({ source, because }) => `${source.name} ${because}`).join("; ")
      : candidates.length === 0
        ? "there are no sources yet"
        : `no source covers ${new URL(url).host}`
  // The page may have been added by a source that has changed since.
  const verdict = known?.hash == null ? "no" : "note"
  return { name: "source", verdict, text: `it belongs to no source (${why})`, facts }
}

/** The declared or last crawled source with a given name. */
export async function sourceNamed(
  name: string,
  { sources, jobs }: Pick<TraceParts, "sources" | "jobs">,
): Promise<Source | null> {
  return (await sources.get(name))?.source ?? (await jobs.list({ source: name, limit: 1 }))[0]?.source ?? null
}
