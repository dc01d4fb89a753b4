import { DatabaseSync } from "node:sqlite"
import { OutboundLedger } from "../outbound-ledger.ts"
import { writeOutbound } from "../outbound.ts"

/** Whom this process talked to since the last look and what for, as the operator sees it: `payments facilitator.example`. */
export function talkedTo(): string[] {
  using db = new DatabaseSync(":memory:")
  db.exec("create table schema_version (part text primary key, version integer not null) strict")
  writeOutbound(db)
  return new OutboundLedger(db)
    .list({ limit: 100, offset: 0 })
    .map(({ purpose, host }) => `${purpose} ${host}`)
    .sort()
}
