import { randomUUID } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { SCHEMA_WORDS } from "../query/schema-words.ts"
import { versionTable } from "../state-generation.ts"
import { PostgresStore } from "../postgres/postgres-store.ts"
import { stateServer } from "../postgres/state-location.ts"
import { SqliteStore } from "../sqlite/sqlite-store.ts"
import type { StateStore } from "../state-port.ts"
import { migrate } from "../state-store.ts"
import { TRUSTED_TIME_STEPS } from "../clock/trusted-time.ts"

/** An empty store that no other code sees: in memory, or in its own schema if the tests run on PostgreSQL. */
export function emptyState(): StateStore {
  const server = stateServer(randomUUID())
  const db = server === null ? new SqliteStore(new DatabaseSync(":memory:")) : new PostgresStore(server)
  db.first(() => db.script(versionTable(SCHEMA_WORDS[db.dialect])))
  migrate(db, "trusted-time", TRUSTED_TIME_STEPS)
  return db
}
