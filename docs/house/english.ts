import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

// Keeps translated-sounding phrases out of new text: each part of the project may contain each phrase at most as often
// as `english.json` allows. `npm run english` checks this; `npm run english -- --write` lowers the limits.

const ROOT = join(import.meta.dirname, "../..")
const ALLOWED = join(import.meta.dirname, "english.json")
/** Folders with texts by other authors, or texts that the product reads. */
const FOREIGN = /(?:^|\/)(?:testing|corpora|questions|collections|fixtures|models|dist)\//

/** The phrases, keyed by the advice a native writer would give. */
const TURNS: Readonly<Record<string, RegExp>> = {
  "begin with the subject, not with “Of …”":
    /(?:^|[.:!?] |\/\*\* |\/\/ |- )Of (?:a|an|the|those|these|what|each|several|two|many|all) /gm,
  "name the person: “someone”, “a user”, “you”": /\b(?:somebody|whoever)\b/gi,
  "say “is reported”, “learns”, “sees”, not “is told”":
    /\b(?:is|are|was|were|be|been|gets?) told\b|\btold (?:of|that)\b/g,
  "name the thing, not “what is …”":
    /(?:^|[.:!?] |\/\*\* |\/\/ )What (?:is|was|are|were|has|have|had) [^?\n]{3,60}? (?:is|was|are|were|has|stays|goes|comes|stands)\b/gm,
  "say “again”, not “once more”": /\bonce more\b/gi,
  "say “alone” or “on its own”, or drop “by itself”": /\bby (?:itself|themselves|himself)\b/g,
  "say “continues”, not “goes on”": /\b(?:goes|go|went|going) on\b/g,
  "say “is”, not “stands”": /\bstands? (?:in|on|for|below|above|there)\b/g,
  "say “isn't a …”, not “is no … of”": /\bis no [a-z]+ of\b/g,
  "say “within”, “forever”, “without success”, “similar”, not “as far as”, “for ever”, “in vain”, “the like”":
    /\b(?:as far as|comes? of|for ever|in vain|the like|lest|to be had)\b/g,
}

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** How often each phrase occurs in each part of the project, and where. */
function found(): { readonly counts: Counts; readonly places: ReadonlyMap<string, readonly string[]> } {
  const files = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.tsx"], { cwd: ROOT, encoding: "utf8" })
  const counts: Record<string, Record<string, number>> = {}
  const places = new Map<string, string[]>()
  for (const file of files.trim().split("\n")) {
    if (FOREIGN.test(file) || file === "docs/house/english.ts") continue
    const [part = ""] = file.includes("/") ? file.split("/") : ["top"]
    const text = readFileSync(join(ROOT, file), "utf8")
    for (const [turn, pattern] of Object.entries(TURNS)) {
      for (const { 0: words, index } of text.matchAll(pattern)) {
        const ofPart = (counts[part] ??= {})
        ofPart[turn] = (ofPart[turn] ?? 0) + 1
        const line = text.slice(0, index).split("\n").length
        const key = `${part} ${turn}`
        places.set(key, [...(places.get(key) ?? []), `  ${file}:${line}: ${words.trim()}`])
      }
    }
  }
  return { counts, places }
}

const { counts, places } = found()
if (process.argv.includes("--write")) {
  writeFileSync(ALLOWED, `${JSON.stringify(counts, null, 2)}\n`)
} else {
  const allowed = JSON.parse(readFileSync(ALLOWED, "utf8")) as Counts
  for (const [part, turns] of Object.entries(counts)) {
    for (const [turn, count] of Object.entries(turns)) {
      const most = allowed[part]?.[turn] ?? 0
      if (count <= most) continue
      process.exitCode = 1
      console.error(`${part}: ${count} places where a native writer would ${turn}; ${most} are allowed`)
      console.error((places.get(`${part} ${turn}`) ?? []).join("\n"))
    }
  }
}
