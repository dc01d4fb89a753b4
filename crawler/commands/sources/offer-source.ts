import { createInterface } from "node:readline/promises"
import type { SourceSpec } from "../../source.ts"
import { sourceYaml } from "../../sources/file/source-yaml.ts"
import { appendSource } from "./append-source.ts"

/** A proposed source. */
export interface Offer {
  readonly source: SourceSpec & { readonly name: string }
  /** Written to the file as a comment. */
  readonly note: string
  /** The findings as text. */
  readonly text: string
  /** The findings for programs. */
  readonly wire: unknown
  /** Whether a run would find something. */
  readonly isWorthwhile: boolean
}

/** Shows a proposed source and adds it to the file, either without asking or after a person at the terminal agrees. */
export async function offerSource(
  file: string,
  { source, note, text, wire, isWorthwhile }: Offer,
  { json, write }: { readonly json: boolean; readonly write: boolean },
): Promise<void> {
  if (json) say(JSON.stringify(wire, null, 2))
  else say(`${text}${isWorthwhile ? `\n${sourceYaml(source, note)}` : ""}`.trimEnd())
  if (!isWorthwhile || !(write || (!json && (await isWanted(file))))) return
  appendSource(file, source, note)
  if (!json)
    say(
      `\n${source.name} is in ${file}. Next: ${source.login === null ? "" : "fill in its login, then run "}fossick sources apply`,
    )
}

/** Asks only on a terminal, where a person can answer. */
async function isWanted(file: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  const question = createInterface({ input: process.stdin, output: process.stdout, terminal: false })
  try {
    return /^y(?:es)?$/i.test((await question.question(`\nAdd it to ${file}? [y/N] `)).trim())
  } finally {
    question.close()
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
