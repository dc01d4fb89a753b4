/** A part of this length is worked through in some milliseconds. */
const PART_CHARS = 50_000

/**
 * Markdown in parts of at least `chars` characters, cut at blank lines outside of fenced code, so that each part
 * reads as it would in the whole. Joined they are the whole; markdown without such a line is one part.
 */
export function* markdownParts(markdown: string, chars: number = PART_CHARS): Generator<string> {
  let start = 0
  let fence: string | null = null
  for (const { 0: line, index } of markdown.matchAll(/^.*\n?/gm)) {
    if (line === "") break
    const marker = /^[ >]*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === null) {
      if (marker !== undefined) fence = marker
      else if (line.trim() === "" && index + line.length - start >= chars) {
        yield markdown.slice(start, index + line.length)
        start = index + line.length
      }
    } else if (marker?.startsWith(fence)) {
      fence = null
    }
  }
  if (start < markdown.length) yield markdown.slice(start)
}
