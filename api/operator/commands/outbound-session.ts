import { EXIT } from "#base/exit-codes.ts"
import { OutboundLedger } from "#base/outbound/outbound-ledger.ts"
import type { OutboundPurpose } from "#base/outbound/purposes.ts"
import { table, timeText } from "#crawler/commands/sources/sources-text.ts"
import { withState } from "#crawler/commands/with-state.ts"

import { hostOnWire } from "../outbound/admin-routes.ts"

/** `fossick outbound`: the hosts the appliance contacted. @returns the exit code */
export async function showOutbound(
  purpose: OutboundPurpose | null,
  limit: number,
  json: boolean,
): Promise<number> {
  return await withState(async (db) => {
    const found = await new OutboundLedger(db).list({ limit, offset: 0 }, purpose)
    if (json) for (const one of found) print(JSON.stringify(hostOnWire(one)))
    else if (found.length === 0) print("No hosts were contacted.")
    else
      table(
        [
          ["HOST", "FOR", "FIRST", "LAST", "TIMES"],
          ...found.map(({ purpose: what, host, first, last, count }) => [
            host,
            what,
            timeText(new Date(first)),
            timeText(new Date(last)),
            String(count),
          ]),
        ],
        new Set([4]),
      ).forEach(print)
    return EXIT.ok
  })
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
