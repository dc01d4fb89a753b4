import { hostname } from "node:os"
import type { JobResult } from "../../job.ts"
import type { BackupRun } from "../../upkeep/backup/scheduled/backup-table.ts"

// The messages of an alert, for programs and for people.

/** A message about a source or backup whose runs are bad, or were until now. */
export interface AlertMessage {
  readonly type: "alert.began" | "alert.ended"
  readonly about: "source" | "backup"
  readonly name: string
  /** Number of the job, or of the backup's run: the one that triggered the alert, or the first good one after it. */
  readonly run: number
  readonly result: JobResult | BackupRun["state"]
  readonly reason: string | null
  /** The number of consecutive bad runs. */
  readonly badRuns: number
  /** When the first of these runs ended. */
  readonly since: Date
  /** When the run ended, or the nearest known time. */
  readonly at: Date
}

/** The message as structured data for programs. */
export function alertData({
  about,
  name,
  run,
  result,
  reason,
  badRuns,
  since,
}: Omit<AlertMessage, "type" | "at">) {
  return { about, name, run_id: run, result, reason, bad_runs: badRuns, since }
}

/** An alert in words for people, and as structured data for programs. */
export interface Notice {
  readonly type: AlertMessage["type"] | "alert.test"
  readonly subject: string
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

const MAX_SUBJECT_CHARS = 150

/** The alert in words: the problem, and what to do about it. */
export function noticeOf(message: AlertMessage): Notice {
  const { type, about, name, badRuns } = message
  const subject = about === "source" ? name : `backup ${name}`
  const began = type === "alert.began"
  const times = badRuns === 1 ? "the last run" : `the last ${badRuns} runs`
  const headline = began
    ? `${times} went wrong`
    : `recovered after ${badRuns} bad run${badRuns === 1 ? "" : "s"}`
  return {
    type,
    data: alertData(message),
    // Keeps the text on one line, regardless of the characters in a name.
    subject: `[Fossick] ${subject}: ${headline}`
      .replaceAll(/\s+/g, " ")
      .slice(0, MAX_SUBJECT_CHARS)
      .toWellFormed(),
    text: [...(began ? begun(message, subject, times) : ended(message, subject)), "", signature()].join("\n"),
  }
}

function* begun(message: AlertMessage, subject: string, times: string): Generator<string> {
  const { about, name, run, result, reason, since, at } = message
  yield `${subject}: ${times} went wrong, the first on ${timeText(since)}.`
  yield ""
  yield `Result   ${result.replaceAll("-", " ")} (${about === "source" ? `job ${run}` : `run ${run}`}, ${timeText(at)})`
  yield `Reason   ${reason ?? "none given"}`
  yield ""
  yield "For details:"
  if (about === "source") {
    yield `  fossick jobs show ${run}`
    yield `  fossick jobs show ${run} --outcome failed`
    yield "To run it again once the problem is fixed:"
    yield `  fossick sources run ${shellWord(name)}`
  } else {
    yield "  fossick backups list"
    yield "To make a backup now, once the problem is fixed:"
    yield "  fossick backups run"
  }
  yield ""
  yield "You won't get another alert until a run finishes without problems."
}

function* ended({ about, run, badRuns, since, at }: AlertMessage, subject: string): Generator<string> {
  yield `${subject} has recovered: ${about === "source" ? `job ${run}` : `run ${run}`} finished without problems on ${timeText(at)}.`
  yield ""
  yield `Before that, ${badRuns} run${badRuns === 1 ? "" : "s"} went wrong, the first on ${timeText(since)}.`
}

/** A test message for checking that alerts arrive. */
export const testNotice = (): Notice => ({
  type: "alert.test",
  subject: "[Fossick] Test alert",
  text: `Nothing is wrong. This message was requested to test that alerts arrive.\n\n${signature()}`,
  data: { host: hostname() },
})

const signature = (): string => `-- \nFossick on ${hostname()}`

const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`

const shellWord = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`
