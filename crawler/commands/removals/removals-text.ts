import type { RemovalReason } from "../../upkeep/removals/evidence.ts"
import type { HeldRemovals, Removal } from "../../upkeep/removals/removals.ts"

const REASONS: Readonly<Record<RemovalReason, string>> = {
  "not-found": "not found (404)",
  gone: "gone (410)",
  noindex: "noindex",
  robots: "disallowed by robots.txt",
  "out-of-scope": "no longer part of the source",
  moved: "moved",
  "leads-elsewhere": "redirected elsewhere",
}

/** One waiting source, as the operator reads it. */
export function heldLines(held: HeldRemovals): string[] {
  const share = Math.round((held.pages / held.ofPages) * 100)
  const reasons = Object.entries(held.reasons).map(
    ([reason, pages]) => `${pages} ${REASONS[reason as RemovalReason]}`,
  )
  return [
    `${held.source}: ${pagesText(held.pages)} of ${held.ofPages} (${share} %) seem to be gone (run ${held.job}, ${dateText(held.at)})`,
    `  ${reasons.join(", ")}`,
  ]
}

export function removalLine({ url, source, reason, detail, at, keptUntil }: Removal): string {
  const why = detail ?? REASONS[reason]
  if (keptUntil === null) return `${url}  ${why}`
  return `${url}  ${source}  removed ${dateText(at)}, kept until ${dateText(keptUntil)}  ${why}`
}

export function pagesText(pages: number): string {
  return pages === 1 ? "1 page" : `${pages} pages`
}

function dateText(date: Date): string {
  return date.toISOString().slice(0, 10)
}
