import { printable } from "../text/printable.ts"

const SAFE = Symbol("safe output")

/**
 * Makes sure that no text in this process's output can control a terminal, since commands print text from pages, addresses,
 * errors and logs. Bytes pass unchanged: commands use them to move the cursor and to output files.
 */
export function safeOutput(
  streams: readonly (NodeJS.WriteStream & { [SAFE]?: true })[] = [process.stdout, process.stderr],
): void {
  for (const stream of streams) {
    if (stream[SAFE]) continue
    stream[SAFE] = true
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean
    stream.write = (chunk: unknown, ...rest: unknown[]) =>
      write(typeof chunk === "string" ? printable(chunk) : chunk, ...rest)
  }
}

const CLEAR_LINE = "\r\u001b[K"

/** Clears the line and moves the cursor to its start. */
export const clearLine = (stream: NodeJS.WriteStream): void => void stream.write(Buffer.from(CLEAR_LINE))
