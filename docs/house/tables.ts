import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT, roomOf } from "./imports.ts"

/** A table named in the SQL of a file. */
export interface TableUse {
  readonly table: string
  readonly file: string
}

/** String literals, including the fixed parts of templates. */
const LITERAL = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm
const SQL =
  /\bselect\b[\s\S]*\bfrom\b|\binsert (?:or \w+ )?into\b|\bupdate \w+ set\b|\bdelete from\b|\bcreate (?:temp )?(?:table|(?:unique )?index|trigger)\b|\balter table\b|\bdrop table\b/i
const MADE = /\bcreate table (?:if not exists )?(\w+)/gi
const NAMED =
  /\b(?:from|join|into|table(?: if (?:not )?exists)?|references|update(?= \w+ set\b)|(?:index (?:if not exists )?\w+|insert|delete|update|of \w+) on) +"?(\w+)/gi

/** Tables in calls of the query builder. */
const BUILT = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|(?:inner|left|cross)Join)\(\s*\[?"(\w+)/g

/** The SQL statements in a file's string literals. */
export function sqlOf(text: string): string[] {
  return [...text.replaceAll(COMMENT, "").matchAll(LITERAL)]
    .map(([literal]) => literal)
    .filter((literal) => SQL.test(literal))
}

/** The tables that files create, except temporary ones, each with the rooms that create it. */
export function tablesOf(files: readonly string[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>()
  for (const file of files) {
    for (const sql of sqlOf(readFileSync(join(ROOT, file), "utf8"))) {
      for (const [, table = ""] of sql.matchAll(MADE)) {
        owners.set(table, (owners.get(table) ?? new Set()).add(roomOf(file)))
      }
    }
  }
  return owners
}

/** Which of the given tables each file names in its SQL statements. */
export function tableUses(files: readonly string[], tables: ReadonlySet<string>): TableUse[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8")
    const named = sqlOf(text).flatMap((sql) => [...sql.matchAll(NAMED)])
    const built = [...text.replaceAll(COMMENT, "").matchAll(BUILT)]
    const all = [...named, ...built].map(([, table = ""]) => table)
    return [...new Set(all)].filter((table) => tables.has(table)).map((table) => ({ table, file }))
  })
}
