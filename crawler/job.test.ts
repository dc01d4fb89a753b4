import { expect, test } from "vitest"
import { BETWEEN_NOTES, givenUpNote, limitNote, stoppedNote, undoneIn } from "./job.ts"

const HELD = "40 pages seem to be gone, too many to remove without your approval: run fossick removals"

test.each([
  { notes: [], endedAtLimit: false, leftAddresses: false },
  { notes: [HELD], endedAtLimit: false, leftAddresses: false },
  { notes: [limitNote("1000 pages"), HELD], endedAtLimit: true, leftAddresses: false },
  { notes: [stoppedNote("the disk is full")], endedAtLimit: false, leftAddresses: true },
  { notes: [HELD, givenUpNote("a.example", "HTTP 503")], endedAtLimit: false, leftAddresses: true },
  // Words that come from a host are not mistaken for a limit.
  { notes: [givenUpNote("a.example", "it ended at byte 7")], endedAtLimit: false, leftAddresses: true },
  { notes: [limitNote("7 hours, stopped: no")], endedAtLimit: true, leftAddresses: false },
])("the notes $notes say what a run did not do", ({ notes, ...undone }) => {
  expect(undoneIn(notes.length === 0 ? null : notes.join(BETWEEN_NOTES))).toEqual(undone)
})
