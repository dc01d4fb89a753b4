import type { PageUrl } from "#engine"
import { concealedEnd } from "../../fetch/concealed.ts"
import { type KnownAddress, KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { foundStep } from "./found.ts"
import { duplicateStep, indexStep, textStep } from "./in-index.ts"
import { candidateSources, sourceStep } from "./membership-reasons.ts"
import { observersStep } from "./observed.ts"
import type { Step, Subject, TraceParts } from "./step.ts"
import { rankStep } from "./rank.ts"
import { removalStep, visitsStep } from "./upkeep.ts"
import { outcomeStep, robotsStep } from "./visit.ts"

/** Why a page is found, or why it is not. */
export interface Trace {
  readonly url: PageUrl
  /** Whether the page is indexed under this address. */
  readonly inIndex: boolean
  /** The reason in one sentence. */
  readonly summary: string
  readonly steps: readonly Step[]
}

/**
 * Follows one address through everything that decides whether a search finds it. Uses stored data only: contacts no
 * site and changes nothing.
 *
 * @param query if given, the page's rank among its results is reported too
 */
export async function tracePage(url: PageUrl, parts: TraceParts, query?: string): Promise<Trace> {
  const addresses = new KnownAddresses(parts.db)
  const shown = (found: KnownAddress) => (parts.conceals ? concealedEnd(found) : found)
  const { only = null } = parts
  const mayTell = (source: string) => only === null || only.includes(source)
  const allOf = async (address: PageUrl) =>
    (await addresses.all(address)).filter(({ source }) => mayTell(source)).map(shown)
  const lookUp = async (other: PageUrl) => (await allOf(other))[0] ?? null
  const [known = null, ...others] = await allOf(url)
  const candidates = (await candidateSources(url, parts)).filter(({ source }) => mayTell(source.name))
  const subject: Subject = { url, parts, known, others, lookUp, candidates }
  const page = await parts.engine.get(url)
  const steps = [
    await sourceStep(subject),
    await foundStep(subject),
    robotsStep(subject),
    outcomeStep(subject),
    page && textStep(page),
    await duplicateStep(subject),
    await indexStep(subject, page),
    await observersStep(subject, page),
    await removalStep(subject, page),
    await visitsStep(subject),
    page && query !== undefined && query.trim() !== "" ? await rankStep(subject, query) : null,
  ].filter((step) => step !== null)
  return { url, inIndex: page !== null, summary: summaryOf(page !== null, steps), steps }
}

function summaryOf(inIndex: boolean, steps: readonly Step[]): string {
  const rank = steps.find(({ name }) => name === "rank")
  if (inIndex) return rank ? `It is in the index: ${rank.text}.` : "It is in the index."
  // The removal record is the best explanation of why a page is gone; without one, the best explanation is the first
  // step that stopped the page.
  const removal = steps.find(({ name, verdict }) => name === "removal" && verdict === "no")
  const decisive = removal ?? steps.find(({ verdict }) => verdict === "no")
  return `It is not in the index${decisive ? `: ${decisive.text}` : ""}.`
}
