import { readFileSync } from "node:fs"

// Loaded before a program (NODE_OPTIONS=--import): sets the program's wall clock ahead by the milliseconds in the file
// that PROOF_CLOCK names. All processes and threads of an appliance follow the same file, as they would follow a clock
// that someone sets.

const RealDate = Date
const LOOK_MS = 20
const file = process.env["PROOF_CLOCK"]
let ahead = 0
let lookedAt = -Infinity

function now(): number {
  if (file !== undefined && performance.now() - lookedAt > LOOK_MS) {
    lookedAt = performance.now()
    // The file is only half written: keep the previous value.
    ahead = Number(readFileSync(file, "utf8")) || 0
  }
  return RealDate.now() + ahead
}

globalThis.Date = class extends RealDate {
  // As in JavaScript: without arguments the current time, otherwise the given time.
  constructor(...of: []) {
    if (of.length === 0) super(now())
    else super(...of)
  }
  static override now(): number {
    return now()
  }
} as DateConstructor
