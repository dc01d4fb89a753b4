import { printable } from "../text/printable.ts"

const SAFE = Symbol("safe output")

/**
 * From now on no text that this process writes to its output can command a terminal, whoever writes it: commands show what
 * pages, addresses, errors and logs say. Bytes pass as they are: with them a command moves the cursor itself, and
 * gives away files.
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

/** Begins the line at the cursor anew. */
export const clearLine = (stream: NodeJS.WriteStream): void => void stream.write(Buffer.from(CLEAR_LINE))
