/**
 * The text of markdown as this folder writes it: no marks, no addresses, no image descriptions. Code is kept as it
 * stands, list items keep their dash, a table row becomes one line with its cells apart by tabs.
 */
export function toPlainText(markdown: string): string {
  const lines: string[] = []
  let fence: string | null = null
  for (const line of markdown.split("\n")) {
    const marker = /^[\s>]*(?:(?:[-:]|\d+\.) )*(`{3,})/.exec(line)?.[1]
    if (fence !== null) {
      if (marker !== undefined && marker.length >= fence.length && /^[\s>]*`+$/.test(line)) fence = null
      else lines.push(line)
      continue
    }
    if (marker !== undefined && !line.slice(line.indexOf(marker) + marker.length).includes("`")) {
      fence = marker
      continue
    }
    const text = lineText(line)
    if (text !== null) lines.push(text)
  }
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

function lineText(line: string): string | null {
  if (/^[\s>]*(?:-{3,}|\|(?: --- \|)+)$/.test(line)) return null
  const content = line.replace(/^(?:> ?)+/, "").trimEnd()
  if (content.startsWith("| ") && content.endsWith(" |")) {
    return content
      .slice(2, -2)
      .split(/(?<!\\) \| /)
      .map(inlineText)
      .join("\t")
  }
  return inlineText(content.replace(/^(\s*(?:(?:[-:]|\d+\.) )*)#{1,6} /, "$1").replace(/^(\s*): /, "$1"))
}

/** One pass over a line: escapes, code spans, images, links and emphasis marks. */
function inlineText(text: string): string {
  if (!/[\\`*_[\]~!]/.test(text)) return text
  let out = ""
  let i = 0
  // Where the openers of links and images stand, so that `](…)` can be dropped when it closes one.
  const open: { at: number; image: boolean }[] = []
  while (i < text.length) {
    const char = text[i]!
    if (char === "\\" && i + 1 < text.length && /[!-/:-@[-`{-~]/.test(text[i + 1]!)) {
      out += text[i + 1]
      i += 2
    } else if (char === "`") {
      let run = 1
      while (text[i + run] === "`") run++
      const end = text.indexOf("`".repeat(run), i + run)
      if (end === -1) {
        out += text.slice(i, i + run)
        i += run
      } else {
        out += text.slice(i + run, end).replace(/^ (`.*|.*`) $/, "$1")
        i = end + run
      }
    } else if (char === "!" && text[i + 1] === "[") {
      open.push({ at: out.length, image: true })
      i += 2
    } else if (char === "[") {
      open.push({ at: out.length, image: false })
      i++
    } else if (char === "]" && text[i + 1] === "(" && open.length > 0) {
      const opener = open.pop()!
      if (opener.image) out = out.slice(0, opener.at)
      const end = text.indexOf(")", i)
      i = end === -1 ? text.length : end + 1
    } else if (char === "*" || (char === "~" && text[i + 1] === "~")) {
      let run = 1
      while (text[i + run] === char) run++
      i += run
    } else {
      out += char
      i++
    }
  }
  return out
}
