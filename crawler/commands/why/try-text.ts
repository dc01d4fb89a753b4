import { shownOutcome } from "../../outcome-name.ts"
import type { Tried } from "../../reporting/why/try/try-page.ts"
import { countText } from "../../reporting/why/dates-and-counts.ts"

/** A trial as text: how a run would treat the page, the facts, then the page's text. */
export function tryText(tried: Tried): string {
  const { url, source, belongs, robots, reading, outcome, detail, page, passages, tookMs } = tried
  const facts: [string, string | null][] = [
    ["outcome", `${shownOutcome(outcome)}${detail === null ? "" : ` (${detail})`}`],
    [
      "source",
      `${source.name}${belongs ? "" : ": the address doesn't belong to this source, so runs skip it"}`,
    ],
    ["robots.txt", robotsText(robots)],
  ]
  if (reading !== null) {
    const { links } = reading
    facts.push(
      ["read from", reading.url === url ? null : reading.url],
      [
        "answer",
        `${reading.status}, ${reading.contentType || "no content type"}, ${countText(reading.bytes, "byte")}, ${tookMs} ms`,
      ],
      ["canonical", reading.canonical],
      [
        "asks for",
        [reading.noindex && "noindex", reading.nofollow && "nofollow"].filter(Boolean).join(", ") || null,
      ],
      [
        "links",
        `${links.total}: ${links.followed} to follow, ${links.nofollow} nofollow, ${links.outside} outside the source`,
      ],
      ["feeds", reading.feeds.join(", ") || null],
      ["note", reading.note],
    )
  }
  if (page !== null) {
    facts.push(
      ["title", page.title],
      ["description", page.description],
      ["language", page.language],
      ["author", page.author],
      ["published", page.publishedAt?.toISOString() ?? null],
      ["topic", page.topic],
      ["country", page.country],
      ["for adults", page.unsafe ? "yes" : null],
      ["images", page.images.length === 0 ? null : String(page.images.length)],
      ["text", `${countText(page.markdown.length, "character")}, ${countText(passages.length, "passage")}`],
    )
  }
  const shown = facts.filter(([, value]) => value !== null && value !== "")
  const width = Math.max(...shown.map(([name]) => name.length))
  const lines = shown.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
  const text = page === null ? "" : `\n${page.markdown.trimEnd()}\n`
  return `${url}\n${summaryOf(tried)}\n\n${lines.join("\n")}\n${text}`
}

function summaryOf({ outcome, belongs }: Tried): string {
  if (outcome === "unchanged") return "The index already has this version; a run would change nothing."
  if (outcome !== "indexed") return "A run would not index it."
  return belongs
    ? "A run would index this page. Nothing was indexed now."
    : "It could be indexed, but it doesn't belong to this source."
}

function robotsText({ obeyed, allowed, detail }: Tried["robots"]): string {
  if (!obeyed) return "ignored for this source"
  if (allowed === null) return `unknown${detail === null ? "" : `: ${detail}`}`
  return allowed ? "allows it" : (detail ?? "disallows it")
}
