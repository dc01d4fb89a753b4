import { waitingAddress } from "../../crawl/frontier/job-addresses.ts"
import { knowsAny, somePageSaying } from "../../crawl/frontier/source-pages.ts"
import { LINKS_LEFT } from "../../fetch/render/trials.ts"
import { pagesIn } from "../../outcome-name.ts"
import { type PageUrl, toPageUrl } from "#engine"
import { BETWEEN_NOTES, listNotesIn } from "../../job.ts"
import { aliasOf } from "../../crawl/duplicates/text-store.ts"
import { scopeText } from "../../crawl/discovery/discovery.ts"
import type { FoundHow } from "../../crawl/frontier/frontier-schema.ts"
import { PageLinks } from "../../crawl/frontier/page-links.ts"
import type { Candidate } from "./step.ts"
import type { Step, Subject } from "./step.ts"
import { countText, dateText } from "./dates-and-counts.ts"

/** How an address was discovered, or why it never was. */
export async function foundStep(subject: Subject): Promise<Step> {
  const { known } = subject
  if (known !== null) {
    const { foundHow, foundOn, depth, firstSeen, source } = known
    const text = `${howText(foundHow, foundOn, depth)}; source ${source || "unknown"}, first seen ${dateText(firstSeen)}`
    return {
      name: "found",
      verdict: "yes",
      text,
      facts: { how: foundHow, on: foundOn, depth, source, first_seen: new Date(firstSeen) },
    }
  }
  return (
    (await waiting(subject)) ??
    (await filedUnder(subject)) ??
    (await otherSpelling(subject)) ??
    (await neverSeen(subject))
  )
}

function howText(how: FoundHow, on: string | null, depth: number): string {
  const steps = `${countText(depth, "link")} from a seed`
  switch (how) {
    case "seed":
      return "it is a seed"
    case "link":
      return on === null ? `linked, ${steps}` : `linked from ${on}, ${steps}`
    case "sitemap":
      return `listed in the sitemap${on === null ? "" : ` ${on}`}`
    case "feed":
      return `listed in the feed${on === null ? "" : ` ${on}`}`
    case "llms":
      return `listed in a file for language models${on === null ? "" : `, ${on}`}`
    case "content":
      return `it is in ${on ?? "the content of its source"}`
    case "redirect":
      return `${on ?? "another address"} redirects to it`
    case "canonical":
      return `${on ?? "another page"} names it as its canonical`
    default:
      return `found through ${String(how)}`
  }
}

/** The address is in the frontier of a run that has not ended. */
async function waiting({ url, parts: { db, jobs, only = null } }: Subject): Promise<Step | null> {
  const waits = await waitingAddress(db, url)
  const job = waits && (await jobs.get(waits.job))
  if (!waits || !job || only?.includes(job.source.name) === false) return null
  const { tries, due, depth } = waits
  const how = howText(waits.how ?? "link", waits.on, depth)
  const again =
    tries > 0 ? `; ${countText(tries, "try", "tries")} failed, next try after ${dateText(due)}` : ""
  return {
    name: "found",
    verdict: "no",
    text: `${how}; it is waiting to be visited in job ${job.id} of ${job.source.name} (${job.state})${again}`,
    facts: { how: waits.how, on: waits.on, job_id: job.id, job_state: job.state, tries },
  }
}

async function filedUnder({ url, parts }: Subject): Promise<Step | null> {
  const alias = await aliasOf(parts.db, url, parts.only)
  if (alias === null) return null
  return {
    name: "found",
    verdict: "note",
    text: `it is another address of ${alias.of} and isn't visited itself`,
    facts: { how: null, known_as: [alias.of] },
  }
}

async function otherSpelling({ url, lookUp }: Subject): Promise<Step | null> {
  const others = (
    await Promise.all(otherSpellings(url).map(async (other) => (await lookUp(other)) ?? []))
  ).flat()
  const best = others.find(({ hash }) => hash !== null) ?? others[0]
  if (best === undefined) return null
  return {
    name: "found",
    verdict: "no",
    text: `it was never seen in this spelling, only as ${best.url}${best.hash === null ? "" : ", which is in the index"}`,
    facts: { known_as: others.map((other) => other.url) },
  }
}

/** Variants of the address, which are the same page on most sites. */
function otherSpellings(url: PageUrl): PageUrl[] {
  const change = (edit: (to: URL) => void) => (from: string) => {
    const to = new URL(from)
    edit(to)
    return to.href
  }
  const changes = [
    change((to) => (to.protocol = to.protocol === "https:" ? "http:" : "https:")),
    change(
      (to) => (to.hostname = to.hostname.startsWith("www.") ? to.hostname.slice(4) : `www.${to.hostname}`),
    ),
    change((to) => (to.pathname = to.pathname.endsWith("/") ? to.pathname.slice(0, -1) : `${to.pathname}/`)),
    change((to) => (to.search = "")),
  ]
  let spellings = new Set<string>([url])
  for (const one of changes) spellings = new Set([...spellings, ...[...spellings].map(one)])
  spellings.delete(url)
  return [...spellings].flatMap((spelling) => toPageUrl(spelling) ?? [])
}

async function neverSeen({ url, candidates, parts }: Subject): Promise<Step> {
  const reasons = await Promise.all(
    candidates
      .filter(({ belongs }) => belongs)
      .map(async (candidate) => `${candidate.source.name} ${await whyUnseen(url, candidate, parts)}`),
  )
  const text = reasons.length === 0 ? "no run has seen it" : `no run has seen it: ${reasons.join("; ")}`
  return { name: "found", verdict: "no", text, facts: { how: null } }
}

/** Why a source might never have discovered one of its own addresses. */
async function whyUnseen(
  url: PageUrl,
  { source, declared }: Candidate,
  { db, jobs, mostLinking }: Subject["parts"],
): Promise<string> {
  const [last] = await jobs.list({ source: source.name, limit: 1 })
  if (!last) return "has never run"
  if (last.state === "running" || last.state === "queued" || last.state === "paused") {
    return `hasn't finished: job ${last.id} is ${last.state}, with ${countText(last.queued, "address", "addresses")} left`
  }
  const { limits } = last.source
  const pages = pagesIn(last.outcomes)
  if (last.state !== "finished") return `ended early: job ${last.id} ${last.state}`
  if (pages >= limits.pages)
    return `reached its limit of ${countText(limits.pages, "page")} in job ${last.id}`
  const lists = listNotesIn(last.note)
  if (last.note !== null && last.note !== lists.join(BETWEEN_NOTES))
    return `ended job ${last.id} with a note: ${last.note}`
  if (!declared && !(await knowsAny(db, source.name))) return "was deleted with all its records"
  if (scopeText(source) !== scopeText(last.source)) {
    return `has had different rules since job ${last.id}: its next run may find it`
  }
  const naming = await new PageLinks(db).naming(source.name, url, mostLinking)
  if (naming && naming.depth >= limits.depth) {
    const found = `${countText(naming.depth + 1, "step")} from a seed`
    return `found a link to it on ${naming.url}, ${found}: deeper than its depth of ${limits.depth}, which you can raise`
  }
  if (naming)
    return `found a link to it on ${naming.url}, but hadn't followed it by the end of job ${last.id}`
  const unrendered = await somePageSaying(db, source.name, LINKS_LEFT)
  const scripts =
    unrendered === null ? "" : `; scripts may add links on ${unrendered}, which was read without a browser`
  return (
    `found no link to it within ${countText(limits.depth, "step")}, and didn't find it in a sitemap or feed, up to job ${last.id}` +
    `${lists.length === 0 ? "" : `, where ${lists.join(", and ")}`} (to include it, add it as a seed)${scripts}`
  )
}
