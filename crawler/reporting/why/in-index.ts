import { shownOutcome } from "../../outcome-name.ts"
import { type Page, sourcesOf } from "#engine"
import { aliasesOf, aliasOf } from "../../crawl/duplicates/text-store.ts"
import type { Step, Subject } from "./step.ts"
import { countText } from "./dates-and-counts.ts"

/** The text that was read from the page. */
export function textStep(page: Page): Step {
  const chars = page.markdown.length
  const { title, language, author, publishedAt, topic, country, unsafe } = page
  const text = [
    title === "" ? "without a title" : JSON.stringify(title),
    countText(chars, "character"),
    language === null ? "language unknown" : `language ${language}`,
    ...(unsafe ? ["adult content: left out of safe searches"] : []),
  ].join(", ")
  return {
    name: "text",
    verdict: "yes",
    text,
    facts: {
      title,
      characters: chars,
      language,
      author,
      published_at: publishedAt,
      topic,
      country,
      unsafe,
      fetched_at: page.fetchedAt,
    },
  }
}

const SHOWN = 5

/** The page indexed in place of this one, or the addresses that this page replaces. */
export async function duplicateStep({ url, known, lookUp, parts }: Subject): Promise<Step | null> {
  const alias = await aliasOf(parts.db, url, parts.only)
  const target = alias?.of ?? known?.leadsTo ?? null
  if (target !== null) {
    const held = (await parts.engine.get(target)) !== null
    const last = (await lookUp(target))?.outcome
    const there = held
      ? "which is in the index"
      : `which is not in the index${last === undefined ? "" : ` (${shownOutcome(last)})`}`
    const why = alias ? ` (${alias.evidence})` : ""
    return {
      name: "duplicates",
      verdict: known?.hash == null ? "no" : "note",
      text: `it is a duplicate of ${target}${why}, ${there}`,
      facts: { leads_to: target, evidence: alias?.evidence ?? null, target_in_index: held },
    }
  }
  const others = (await aliasesOf(parts.db, url, parts.only)).map((other) => other.url)
  if (others.length === 0) return null
  const more = others.length > SHOWN ? ` and ${others.length - SHOWN} more` : ""
  return {
    name: "duplicates",
    verdict: "note",
    text: `it also represents ${others.slice(0, SHOWN).join(", ")}${more}`,
    facts: { stands_for: others },
  }
}

/** The parts of the page that can be found by searches. */
export async function indexStep({ url, known, parts }: Subject, page: Page | null): Promise<Step> {
  const coverage = page && (await parts.engine.coverage(url))
  if (coverage === null) {
    const lost = known !== null && known.hash !== null
    return {
      name: "index",
      verdict: "no",
      text: lost ? "the index lost it; the next visit will put it back" : "it isn't in the index",
      facts: { in_index: false },
    }
  }
  const { passages, vectors } = coverage
  const sources = page ? sourcesOf(page) : []
  const of = sources.length > 1 ? `; it belongs to the sources ${sources.sort().join(", ")}` : ""
  const left = passages - vectors
  const text =
    left <= 0
      ? `${countText(passages, "passage")}, all with vectors`
      : `${countText(passages, "passage")}; ${countText(left, "vector")} still missing; searches find passages without vectors by words only`
  return {
    name: "index",
    verdict: "yes",
    text: `${text}${of}`,
    facts: { in_index: true, passages, vectors, sources },
  }
}
