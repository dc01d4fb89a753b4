import { EXIT } from "#base/exit-codes.ts"
import { table } from "#crawler/commands/sources/sources-text.ts"
import { counted } from "#engine/commands/command-progress.ts"

import type { GivenTo } from "../../../client/client.ts"
import { asked, type Asking } from "./appliance-address.ts"

// Each function implements one `fossick queries …` command: it queries a running appliance and returns the exit code.

export type QueriesWanted = NonNullable<GivenTo<"GET /admin/queries">["query"]>

/** Shows a report of the questions that users asked. */
export async function showQueries(wanted: QueriesWanted, asking: Asking): Promise<number> {
  const { enabled, queries } = await asked(asking, (client, signal) =>
    client.call("GET /admin/queries", { query: wanted, signal }),
  )
  if (asking.json) queries.forEach((line) => print(JSON.stringify(line)))
  else if (queries.length === 0) {
    print(enabled ? "No such questions." : "No questions are kept: FOSSICK_QUERY_LOG_DAYS is 0.")
  } else {
    const rows = queries.map((line) => [
      String(line.count),
      String(line.keys),
      String(line.results),
      line.top_score.toFixed(2),
      line.seconds.toFixed(2),
      line.last_at,
      line.question,
    ])
    const heads = ["TIMES", "KEYS", "RESULTS", "SCORE", "SECONDS", "LAST", "QUESTION"]
    table([heads, ...rows], new Set([0, 1, 2, 3, 4])).forEach(print)
  }
  return EXIT.ok
}

/** Tells the appliance to delete all questions. */
export async function clearQueries(asking: Asking): Promise<number> {
  const answer = await asked(asking, (client, signal) => client.call("DELETE /admin/queries", { signal }))
  print(asking.json ? JSON.stringify(answer) : `${counted(answer.deleted, "question")} deleted`)
  return EXIT.ok
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
