import { readFileSync } from "node:fs"

import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { withState } from "#crawler/commands/with-state.ts"

import { parseRules, RulesFileError, rulesText } from "./rules-file.ts"
import { RuleStore, TooManyRules } from "./rule-store.ts"
import type { Rule } from "#engine"

// Each function is one `fossick rules …` command, and returns the exit code. A running appliance applies the changes
// from the next question on.

/** @throws CommandError with one line per problem in the file */
export function readRulesFile(file: string): readonly Rule[] {
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as Error).message})`)
  }
  try {
    return parseRules(text, file)
  } catch (error) {
    if (error instanceof RulesFileError) throw new CommandError(error.message)
    throw error
  }
}

/** Replaces all rules with those in the file. */
export async function applyRules(file: string, json: boolean): Promise<number> {
  const rules = readRulesFile(file)
  return await withState(async (db) => {
    try {
      const deleted = await new RuleStore(db).replaceAll(rules)
      if (json) print(JSON.stringify({ rules: rules.length, deleted }))
      else print(`${rules.length} rules${deleted.length > 0 ? `, deleted: ${deleted.join(", ")}` : ""}`)
    } catch (error) {
      if (error instanceof TooManyRules) throw new CommandError(error.message)
      throw error
    }
    return EXIT.ok
  })
}

export async function listRules(json: boolean): Promise<number> {
  return await withState(async (db) => {
    const rules = await new RuleStore(db).list()
    if (json) print(JSON.stringify(rules, null, 2))
    else if (rules.length === 0) print("There are no rules yet.")
    else for (const rule of rules) print(`${rule.id}: ${inWords(rule)}`)
    return EXIT.ok
  })
}

/** The rules as a file that `apply` accepts. */
export async function exportRules(): Promise<number> {
  return await withState(async (db) => {
    process.stdout.write(rulesText(await new RuleStore(db).list()))
    return EXIT.ok
  })
}

function inWords(rule: Rule): string {
  if (rule.kind === "pin") return `${rule.questions.join(" | ")} -> ${rule.url} at ${rule.position ?? 1}`
  if (rule.kind === "boost") return `${JSON.stringify(rule.where)} x ${rule.factor}`
  return rule.words ? rule.words.join(" = ") : `${rule.from?.join(", ")} -> ${rule.to?.join(", ")}`
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
