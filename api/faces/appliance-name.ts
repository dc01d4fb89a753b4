import { migrate, type StateStore, transaction } from "#base/store/state-store.ts"

const STEPS = ["create table appliance_name (name text not null) strict"]

/** What the appliance is called on its pages. */
export class ApplianceName {
  readonly #db: StateStore

  constructor(db: StateStore) {
    migrate(db, "appliance-name", STEPS)
    this.#db = db
  }

  /** Null: nobody has named it. */
  async get(): Promise<string | null> {
    const row = await this.#db.prepare("select name from appliance_name").get()
    return row === undefined ? null : String(row["name"])
  }

  /** Null: it has none any more. */
  async set(name: string | null): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#db.exec("delete from appliance_name")
      if (name !== null) await this.#db.prepare("insert into appliance_name values (?)").run(name)
    })
  }
}
