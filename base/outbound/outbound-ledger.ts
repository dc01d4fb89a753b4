import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { greater } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { BoundedLog, type LogFilter } from "#base/work/bounded-log.ts"

import type { OutboundPurpose } from "./purposes.ts"

/** Maximum number of hosts, which take 2 MB. The purpose with the most hosts loses those contacted longest ago, so that live calls don't push out webhooks or models. */
const MOST_HOSTS = 10_000
const MAX_HOST_CHARS = 260

interface OutboundTables {
  outbound_host: { purpose: OutboundPurpose; host: string; first_at: number; last_at: number; count: number }
}
type OutboundRow = OutboundTables["outbound_host"]

const STEPS: readonly Step[] = [
  ({ text, integer, keyed }) => `create table outbound_host (
     purpose ${text} not null, host ${text} not null, first_at ${integer} not null, last_at ${integer} not null, count ${integer} not null,
     primary key (purpose, host)
   ) ${keyed};
   create index outbound_host_last on outbound_host (last_at)`,
]

/** A host that the appliance contacted. */
export interface OutboundHost {
  readonly purpose: OutboundPurpose
  readonly host: string
  /** Times of the first and the last contact, in milliseconds since 1970. */
  readonly first: number
  readonly last: number
  /** Number of connections made, or, for the operator's own servers, of requests that were answered. */
  readonly count: number
}

/** Which hosts the appliance contacted, and for what purpose. */
export class OutboundLedger {
  readonly #queries: Queries<OutboundTables>
  readonly #log: BoundedLog<OutboundRow>

  constructor(db: StateStore) {
    migrate(db, "outbound", STEPS)
    this.#queries = queriesOf(db)
    this.#log = new BoundedLog(db, {
      table: "outbound_host",
      owner: "purpose",
      id: ["purpose", "host"],
      time: "last_at",
      shares: { most: MOST_HOSTS, mostOfOne: MOST_HOSTS, countEvery: 1 },
    })
  }

  /** Must run in a write transaction. */
  async add(hosts: readonly OutboundHost[]): Promise<void> {
    for (const { purpose, host, first, last, count } of hosts) {
      await this.#queries
        .insertInto("outbound_host")
        .values({ purpose, host: host.slice(0, MAX_HOST_CHARS), first_at: first, last_at: last, count })
        .onConflict((conflict) =>
          conflict.columns(["purpose", "host"]).doUpdateSet((eb) => ({
            last_at: greater(eb.ref("outbound_host.last_at"), eb.val(last)),
            count: eb("outbound_host.count", "+", count),
          })),
        )
        .execute()
    }
    await this.#log.wrote()
  }

  /** Hosts, most recently contacted first. */
  async list(
    slice: { readonly limit: number; readonly offset: number },
    purpose: OutboundPurpose | null = null,
  ): Promise<readonly OutboundHost[]> {
    const rows = await this.#log.list(slice, ofPurpose(purpose))
    return rows.map(({ purpose: of, host, first_at: first, last_at: last, count }) => ({
      purpose: of,
      host,
      first,
      last,
      count,
    }))
  }

  async count(purpose: OutboundPurpose | null = null): Promise<number> {
    return await this.#log.count(ofPurpose(purpose))
  }
}

const ofPurpose =
  (purpose: OutboundPurpose | null): LogFilter<OutboundRow> =>
  (eb) =>
    purpose === null ? [] : [eb("purpose", "=", purpose)]
