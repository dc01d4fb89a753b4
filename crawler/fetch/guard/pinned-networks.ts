import type { SourceAuthor } from "../../source.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

interface PinTables {
  pinned_network: { source: string; author: SourceAuthor; host: string; networks: string; pinned_at: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table pinned_network (
     source ${text} not null, author ${text} not null, host ${text} not null, networks ${text} not null, pinned_at ${integer} not null,
     primary key (source, author, host)
   ) ${keyed};`,
]

/** The networks that sources' hosts were in when they were first read, in `state.db`. */
export class PinnedNetworks {
  readonly #queries: Queries<PinTables>

  constructor(db: StateStore) {
    migrate(db, "networks", STEPS)
    this.#queries = queriesOf(db)
  }

  /** The networks, named as in `networkOf`; empty if the host had no address. `null` if no run has looked the host up. */
  async of(source: string, author: SourceAuthor, host: string): Promise<readonly string[] | null> {
    const row = await this.#queries
      .selectFrom("pinned_network")
      .select("networks")
      .where((eb) => eb.and({ source, author, host }))
      .executeTakeFirst()
    return row ? (JSON.parse(row.networks) as string[]) : null
  }

  async pin(source: string, author: SourceAuthor, host: string, networks: readonly string[]): Promise<void> {
    const pinned = { networks: JSON.stringify(networks), pinned_at: Date.now() }
    await this.#queries
      .insertInto("pinned_network")
      .values({ source, author, host, ...pinned })
      .onConflict((conflict) => conflict.columns(["source", "author", "host"]).doUpdateSet(pinned))
      .execute()
  }

  /** Makes the next run accept the networks that it finds. @returns whether any were stored. */
  async forget(source: string): Promise<boolean> {
    const pins = this.#queries.deleteFrom("pinned_network").where("source", "=", source)
    return (await pins.executeTakeFirst()).numDeletedRows > 0n
  }
}
