import { isFailure, isPageOutcome, type OutcomeName } from "../../outcome-name.ts"
import type { KnownAddress } from "../../crawl/frontier/known-addresses.ts"
import type { Step, Subject } from "./step.ts"
import { dateText } from "./dates-and-counts.ts"

/** The robots.txt rule at the last visit. */
export function robotsStep({ known }: Subject): Step | null {
  // Only websites have a robots.txt.
  if (known === null || known.foundHow === "content") return null
  const { outcome, detail } = known
  if (outcome === "skipped:robots") {
    return { name: "robots", verdict: "no", text: detail ?? "robots.txt disallows it", facts: { detail } }
  }
  // If the host did not respond, its robots.txt is unknown as well.
  if (NO_ANSWER.has(outcome)) return null
  return { name: "robots", verdict: "yes", text: "robots.txt allowed the last visit", facts: {} }
}

const NO_ANSWER: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  "postponed",
  "failed:dns",
  "failed:refused",
  "failed:tls",
  "failed:timeout",
  "failed:blocked-address",
])

/** The outcomes in words that fit into a sentence. */
const WORDS: Readonly<Record<OutcomeName, string>> = {
  indexed: "read and indexed",
  unchanged: "read, and the same as before",
  "skipped:robots": "not visited",
  "skipped:soft-404": "it says that the page doesn't exist, though its status is 200",
  "skipped:gone": "it is no longer in the content of its source",
  "skipped:trap": "one of a series of addresses that no longer gave anything new",
  "skipped:noindex": "the page asks not to be indexed",
  "skipped:out-of-scope": "it redirects out of the source's scope",
  "skipped:logout": "not visited, because this logout link would log the crawler out",
  "skipped:duplicate": "a duplicate of another address",
  "skipped:unsupported-type": "it contains no readable text",
  "skipped:undecodable": "its fonts don't map to letters",
  "skipped:too-large": "it is too large",
  "skipped:empty": "no main text was found in it",
  postponed: "the site asked to come back later",
  "failed:http-status": "the site answered with an error",
  "failed:dns": "the host name was not found",
  "failed:refused": "the connection failed",
  "failed:tls": "no secure connection",
  "failed:timeout": "no complete answer in time",
  "failed:redirect-loop": "endless redirects",
  "failed:blocked-address": "the address guard refused it",
  "failed:bad-encoding": "the answer was cut off or damaged",
  "failed:unreadable": "the page could not be read",
  "failed:crashed": "the process that read the page crashed",
  "failed:cancelled": "the visit was cut short",
}

/** How the last visit ended. */
export function outcomeStep({ known, others }: Subject): Step | null {
  if (known === null) return null
  const { outcome, detail, job, status, leadsTo, readAs, hash, visitedAt } = known
  const rest = others.map((other) => `; for ${other.source}: ${endText(other)}`).join("")
  return {
    name: "outcome",
    // Pages stay in the index while a site has a temporary problem.
    verdict: isPageOutcome(outcome) ? "yes" : hash === null ? "no" : "note",
    text: `${endText(known)}${rest}`,
    facts: {
      outcome,
      detail,
      status,
      leads_to: leadsTo,
      read_as: readAs,
      job_id: job === 0 ? null : job,
      visited_at: new Date(visitedAt),
      other_sources: others.map((other) => ({ source: other.source, outcome: other.outcome })),
    },
  }
}

function endText({ outcome, detail, visitedAt, job }: KnownAddress): string {
  const word = WORDS[outcome]
  // A failed visit has its own message.
  const text = detail === null ? word : isFailure(outcome) ? detail : `${word} (${detail})`
  const where = job === 0 ? "" : `, job ${job}`
  return `${text}, ${dateText(visitedAt)}${where}`
}
