import type { Reader } from "#crawler"

/** A reader that has at most `limit` reads under way, whoever asks; others wait in line. Closing it closes `reader`. */
export function limitReader(reader: Reader, limit: number): Reader {
  let free = limit
  const waiting: (() => void)[] = []
  return {
    async read(url, options) {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else free--
      try {
        if (options?.signal?.aborted)
          return { kind: "failed", because: "cancelled", detail: "the call has ended" }
        return await reader.read(url, options)
      } finally {
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      }
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
