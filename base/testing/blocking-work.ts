import { resourceLimits, threadId } from "node:worker_threads"

// Work for tests of threads: some of it continues only after other code has had a turn.

/** Blocks until another thread sets the cell; returns whether it was set. */
export function waitsForOthers(cell: Int32Array<SharedArrayBuffer>, _text: string): boolean {
  return Atomics.wait(cell, 0, 0, 10_000) !== "timed-out"
}

export function fails(_text: string): never {
  throw new Error("it cannot be done")
}

export function failsOddly(_text: string): never {
  // eslint-disable-next-line no-throw-literal
  throw "no error"
}

export function ends(_text: string): never {
  process.exit(3)
}

export function isAtOnce(cell: Int32Array, _text: string): Int32Array {
  return cell
}

/** Wakes every thread that is waiting for the cell. */
export function wakes(cell: Int32Array<SharedArrayBuffer>): void {
  Atomics.store(cell, 0, 1)
  Atomics.notify(cell, 0)
}

/** Records in the cell that the work has begun, and blocks. */
export function beginsAndWaits(cell: Int32Array<SharedArrayBuffer>): void {
  Atomics.store(cell, 0, 1)
  Atomics.wait(cell, 0, 1, 60_000)
}

export const whichThread = (): number => threadId

/** Blocks. */
export function takes(ms: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  return threadId
}

/** Uses more and more memory until none is left. */
export function growsForever(): never {
  const all: number[][] = []
  for (;;) all.push(Array.from({ length: 100_000 }, () => Math.random()))
}

/** The thread's resource limits. */
export const limits = (): object => resourceLimits

/** The names of environment variables, and the flags, that the thread can see. */
export const surroundings = (): readonly string[] => [...Object.keys(process.env), ...process.execArgv]
