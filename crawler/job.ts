import type { HostWait } from "./fetch/hosts/host-waits.ts"
import type { OutcomeCounts, OutcomeName } from "./outcome-name.ts"
import type { Source, SourceAuthor } from "./source.ts"

/** Milliseconds between heartbeats of a process that works on a job. */
export const BEAT_MS = 1000

/**
 * - `queued`: the job is waiting for a process to work on it; so is a job whose process was lost.
 * - `running`: a process is working on it and sends a heartbeat at least every {@link BEAT_MS}.
 * - `paused`: a person interrupted it. Its frontier is kept. When it is resumed, or requested again, it continues from
 * there.
 * - `finished`, `failed`, `cancelled`: the job has ended.
 */
export type JobState = "queued" | "running" | "paused" | "finished" | "failed" | "cancelled"

export const OPEN_STATES = ["queued", "running", "paused"] as const satisfies readonly JobState[]
export const OVER_STATES = ["finished", "failed", "cancelled"] as const satisfies readonly JobState[]
export const JOB_STATES: readonly JobState[] = [...OPEN_STATES, ...OVER_STATES]

export const isOver = (state: JobState): boolean => (OVER_STATES as readonly JobState[]).includes(state)

/**
 * How a run ended, for its operator. `job.state` only says that it ended.
 * - `finished`: it did its work.
 * - `finished-with-problems`: it ended, but the operator should look into it: `job.reason` says why.
 * - `failed`: it could not do its work, for example because nothing was indexed.
 */
export type JobResult = "finished" | "finished-with-problems" | "failed"

export const JOB_RESULTS: readonly JobResult[] = ["finished", "finished-with-problems", "failed"]

/** A result with a one-line reason, which is null for a run without problems. */
export interface Judged {
  readonly result: JobResult
  readonly reason: string | null
}

/** Pages that a run added to the index, changed there, or removed from it. */
export interface PageChanges {
  readonly new: number
  readonly changed: number
  readonly gone: number
}

/** Pages that a run found unchanged by their markdown copies, and the download volume this saved. */
export interface CopyCounts {
  readonly pages: number
  readonly sparedBytes: number
}

/**
 * How a job was started: `command` with an address given on the command line, `run` with the name of a declared source,
 * by the source's `schedule`, by the admin `api`, or by the appliance at its first `start`.
 */
export type JobTrigger = "command" | "run" | "schedule" | "api" | "start"

/** Triggers of jobs that a person started with a command and may interrupt with it. */
export const BY_HAND: readonly JobTrigger[] = ["command", "run"]

/** Which known pages a run visits: all, those that are due, or only those whose last visit failed. */
export type Visiting = "all" | "due" | "failed"

/** One run of a source. */
export interface Job {
  readonly id: number
  /** The source as it was when the job was requested. */
  readonly source: Source
  readonly trigger: JobTrigger
  /** The author of the source: only an operator's source may read private addresses that no setting opened. */
  readonly author: SourceAuthor
  /** Which known pages the run visits. */
  readonly visits: Visiting
  readonly state: JobState
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  /** Why the job failed; null otherwise. */
  readonly error: string | null
  /** Notes for the operator about the end of the run, such as a limit that was reached or removals that are waiting for approval. Null if there are none. */
  readonly note: string | null
  /** How the job ended; null until it has ended, and for a cancelled job. */
  readonly result: JobResult | null
  /** One line saying why {@link Job.result} is not `finished`; null if it is `finished`, or while the run has no result. */
  readonly reason: string | null
  /** The run's changes to the index for its source. */
  readonly changes: PageChanges
  readonly checkedByCopy: CopyCounts
  /** Number of addresses known but not yet visited. */
  readonly queued: number
  /** Hosts that the run is waiting to try again; meanwhile it continues with other hosts. */
  readonly waits: readonly HostWait[]
  /** Visits by outcome: `indexed`, `unchanged`, `postponed`, `skipped:robots`, `failed:dns` and so on. */
  readonly outcomes: OutcomeCounts
}

/** A line of a job's log. */
export interface JobEvent {
  readonly at: Date
  readonly level: "info" | "warn" | "error"
  readonly text: string
}

export interface Failure {
  readonly url: string
  readonly outcome: OutcomeName
  readonly detail: string | null
}

// Notes for the operator that a run writes to `job.note`. The functions below write the notes and tell them apart.

/** The separator between the notes of one run. */
export const BETWEEN_NOTES = "; "

export const limitNote = (limit: string): string => `ended at ${limit}`
export const givenUpNote = (host: string, why: string): string => `${host} was given up for this run: ${why}`
export const stoppedNote = (why: string): string => `stopped: ${why}`

/** The note about an observer that could not check all pages. */
export const observerNote = (name: string, why: string): string =>
  `the observer ${name} could not check every page: ${why}`

/** The note that names pages that are in the index although their responses were cut off. */
export const cutOffNote = ([first, ...others]: readonly string[]): string =>
  `pages indexed although their answers were cut off: ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`
/** The note about a sitemap or feed. @param what the problem, in words that follow the list's address */
export const listNote = (kind: string, url: string, what: string): string => `the ${kind} ${url} ${what}`
/** The note with the number of lists that have no notes of their own. */
export const moreListsNote = (count: number): string => `${count} more sitemaps and feeds with such problems`

/** A run's notes on sitemaps and feeds that could not be read in full. */
export const listNotesIn = (notes: string | null): readonly string[] =>
  (notes ?? "")
    .split(BETWEEN_NOTES)
    .filter((note) => /^the (?:sitemap|feed|list) https?:\/\/|^\d+ more sitemaps and feeds/.test(note))

/** Which part of its work a run did not do, according to its notes. */
export interface Undone {
  readonly endedAtLimit: boolean
  /** Whether the run left addresses unvisited because it was stopped or gave up on a host; they are not included in the outcome counts. */
  readonly leftAddresses: boolean
}

/** @param notes `job.note` */
export function undoneIn(notes: string | null): Undone {
  const each = (notes ?? "").split(BETWEEN_NOTES)
  return {
    endedAtLimit: each.some((note) => note.startsWith(limitNote(""))),
    leftAddresses: each.some((note) => note.startsWith(stoppedNote("")) || /^\S+ was given up\b/.test(note)),
  }
}
