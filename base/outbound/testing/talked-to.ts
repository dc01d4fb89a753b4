import { DatabaseSync } from "node:sqlite"
import { SCHEMA_VERSION } from "../../store/state-store.ts"
import { OutboundLedger } from "../outbound-ledger.ts"
import { writeOutbound } from "../outbound.ts"

/** Whom this process talked to since the last look and what for, as the operator sees it: `payments facilitator.example`. */
export function talkedTo(): string[] {
  using db = new DatabaseSync(":memory:")
  db.exec(SCHEMA_VERSION)
  writeOutbound(db)
  return new OutboundLedger(db)
    .list({ limit: 100, offset: 0 })
    .map(({ purpose, host }) => `${purpose} ${host}`)
    .sort()
}
