import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"

interface NameTables {
  appliance_name: { name: string }
}

const STEPS: readonly Step[] = [
  ({ text, strict }) => `create table appliance_name (name ${text} not null) ${strict}`,
]

/** The appliance's name, as shown on its pages. */
export class ApplianceName {
  readonly #db: StateStore
  readonly #queries: Queries<NameTables>

  constructor(db: StateStore) {
    migrate(db, "appliance-name", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /** The appliance's name; null if it has none. */
  async get(): Promise<string | null> {
    const row = await this.#queries.selectFrom("appliance_name").select("name").executeTakeFirst()
    return row?.name ?? null
  }

  /** Sets the name; null removes it. */
  async set(name: string | null): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#queries.deleteFrom("appliance_name").execute()
      if (name !== null) await this.#queries.insertInto("appliance_name").values({ name }).execute()
    })
  }
}
