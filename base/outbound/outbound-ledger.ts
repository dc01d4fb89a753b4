import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { BoundedLog, type LogFilter } from "#base/work/bounded-log.ts"

import type { OutboundPurpose } from "./purposes.ts"

/** 2 MB. Those talked to longest ago go, of the purpose that has the most: live calls push out no webhook or model. */
const MOST_HOSTS = 10_000
const MAX_HOST_CHARS = 260

const STEPS = [
  `create table outbound_host (
     purpose text not null, host text not null, first_at integer not null, last_at integer not null, count integer not null,
     primary key (purpose, host)
   ) strict, without rowid;
   create index outbound_host_last on outbound_host (last_at)`,
]

/** A host that the appliance talked to. */
export interface OutboundHost {
  readonly purpose: OutboundPurpose
  readonly host: string
  /** Milliseconds since 1970. */
  readonly first: number
  readonly last: number
  /** Connections that were made, or, to servers of the operator's, requests that were answered. */
  readonly count: number
}

/** Which hosts the appliance talked to, and what for. */
export class OutboundLedger {
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #log: BoundedLog

  constructor(db: StateStore) {
    migrate(db, "outbound", STEPS)
    this.#sql = prepareOnce(db)
    this.#log = new BoundedLog(this.#sql, {
      table: "outbound_host",
      owner: "purpose",
      id: "purpose, host",
      time: "last_at",
      shares: { most: MOST_HOSTS, mostOfOne: MOST_HOSTS, countEvery: 1 },
    })
  }

  /** Belongs into a write transaction. */
  async add(hosts: readonly OutboundHost[]): Promise<void> {
    for (const { purpose, host, first, last, count } of hosts) {
      await this.#sql(
        `insert into outbound_host (purpose, host, first_at, last_at, count) values (?, ?, ?, ?, ?)
         on conflict (purpose, host) do update set last_at = max(last_at, excluded.last_at), count = count + excluded.count`,
      ).run(purpose, host.slice(0, MAX_HOST_CHARS), first, last, count)
    }
    await this.#log.wrote()
  }

  /** Those talked to last come first. */
  async list(
    slice: { readonly limit: number; readonly offset: number },
    purpose: OutboundPurpose | null = null,
  ): Promise<readonly OutboundHost[]> {
    return (await this.#log.list(slice, ofPurpose(purpose))).map((row) => ({
      purpose: String(row["purpose"]) as OutboundPurpose,
      host: String(row["host"]),
      first: Number(row["first_at"]),
      last: Number(row["last_at"]),
      count: Number(row["count"]),
    }))
  }

  async count(purpose: OutboundPurpose | null = null): Promise<number> {
    return await this.#log.count(ofPurpose(purpose))
  }
}

const ofPurpose = (purpose: OutboundPurpose | null): LogFilter =>
  purpose === null ? [] : [["purpose = ?", purpose]]
