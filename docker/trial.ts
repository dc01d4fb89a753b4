// What the trials of images and of Compose files say, and what they expect.

const startedAt = Date.now()

/** A line with the seconds since the trial began. */
export function say(line: string): void {
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}\n`)
}

/** @throws Error that names what was expected */
export function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`expected that ${what}`)
}
