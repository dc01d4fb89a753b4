import type { Page } from "#engine"
import type { Removal } from "../../upkeep/removals/removals.ts"
import { sourceNamed } from "./membership-reasons.ts"
import { watcherOf } from "../../fetch/content/kinds.ts"
import type { Step, Subject } from "./step.ts"
import { countText, dateText } from "./dates-and-counts.ts"

/** Why the page might be removed, or was. */
export async function removalStep({ url, parts }: Subject, page: Page | null): Promise<Step | null> {
  const { only = null } = parts
  const [latest, ...others] = (await parts.removals.of(url))
    .filter(({ source }) => only === null || only.includes(source))
    .map(stepOf)
  if (latest === undefined) return null
  // The page may have been removed from one source and still belong to others.
  const verdict = page === null ? latest.verdict : "note"
  if (others.length === 0 && page === null) return latest
  const name = (step: Step) => `for ${String(step.facts["source"])} ${step.text}`
  const text = others.length === 0 ? (latest.verdict === "no" ? name(latest) : latest.text) : undefined
  return { ...latest, verdict, text: text ?? [latest, ...others].map(name).join("; ") }
}

function stepOf(removal: Removal): Step {
  const { source, state, reason, detail, strikes, job, at, keptUntil } = removal
  const why = detail ?? reason
  const facts = {
    source,
    state,
    reason,
    detail,
    strikes,
    job_id: job,
    at,
    kept_until: keptUntil,
  }
  const step = (verdict: Step["verdict"], text: string): Step => ({ name: "removal", verdict, text, facts })
  switch (state) {
    case "struck":
      return step(
        "note",
        strikes === 0
          ? "you kept or restored it: it will stay until two more runs find it gone"
          : `${countText(strikes, "strike")} against it (${why}); it will stay in the index until another run finds the same`,
      )
    case "held":
      return step(
        "note",
        `it is waiting to be removed (${why}), because its run would remove too many pages without your approval: run fossick removals approve ${source}`,
      )
    case "approved":
      return step("note", `it is about to be removed (${why})`)
    case "restoring":
      return step("note", "it is about to be restored")
    default:
      return step(
        "no",
        `it was removed on ${dateText(at)} (${why})${keptUntil === null ? "" : `; until ${dateText(keptUntil)}, fossick removals restore can restore it`}`,
      )
  }
}

/** When the address was visited, and when it will be visited next. */
export async function visitsStep({ known, parts }: Subject): Promise<Step | null> {
  if (known === null) return null
  const { visitedAt, dueAt, changedAt, misses, intervalMs, source: name } = known
  const now = (parts.clock ?? Date.now)()
  const entry = await parts.sources.get(name)
  const isWatched = entry !== null && watcherOf(entry.source) !== null
  const [running] = await parts.jobs.open(name)
  const due = dueAt <= now ? "due now" : `due from ${dateText(dueAt)}`
  const run = running
    ? `job ${running.id} of ${name} is ${running.state}`
    : entry?.nextRun
      ? `${name} runs next on ${dateText(entry.nextRun)}`
      : entry?.paused
        ? `the schedule of ${name} is paused`
        : (await sourceNamed(name, parts)) === null
          ? "its source no longer exists"
          : isWatched
            ? `${name} runs when something in it changes`
            : `${name} has no schedule and runs only when asked to`
  const changed = changedAt === null ? "" : `, changed ${dateText(changedAt)}`
  return {
    name: "visits",
    verdict: "note",
    text: `last ${dateText(visitedAt)}${changed}; ${due}; ${run}`,
    facts: {
      visited_at: new Date(visitedAt),
      changed_at: changedAt === null ? null : new Date(changedAt),
      due_at: dueAt === 0 ? null : new Date(dueAt),
      interval_hours: intervalMs === null ? null : intervalMs / 3_600_000,
      misses,
      next_run_at: entry?.nextRun ?? null,
      job_id: running?.id ?? null,
    },
  }
}
