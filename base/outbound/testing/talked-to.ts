import { DatabaseSync } from "node:sqlite"
import { SqliteStore } from "../../store/sqlite/sqlite-store.ts"
import { SCHEMA_VERSION } from "../../store/state-store.ts"
import { OutboundLedger } from "../outbound-ledger.ts"
import { writeOutbound } from "../outbound.ts"

/** The hosts that this process contacted since the last check, and for what purposes, as the operator sees them: `payments facilitator.example`. */
export async function talkedTo(): Promise<string[]> {
  using db = new SqliteStore(new DatabaseSync(":memory:"))
  await db.script(SCHEMA_VERSION)
  await writeOutbound(db)
  return (await new OutboundLedger(db).list({ limit: 100, offset: 0 }))
    .map(({ purpose, host }) => `${purpose} ${host}`)
    .sort()
}
