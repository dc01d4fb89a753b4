import type { SourceAuthor } from "../../source.ts"
import { replaceSql } from "#base/store/state-port.ts"
import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"

const STEPS = [
  `create table pinned_network (
     source text not null, author text not null, host text not null, networks text not null, pinned_at integer not null,
     primary key (source, author, host)
   ) strict, without rowid;`,
]

const PIN = replaceSql(
  "pinned_network",
  ["source", "author", "host", "networks", "pinned_at"],
  ["source", "author", "host"],
)

/** In which networks the hosts of sources were when they were first read, in `state.db`. */
export class PinnedNetworks {
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrate(db, "networks", STEPS)
    this.#prepare = prepareOnce(db)
  }

  /** As `networkOf` names them; empty: the host had no address. Null: no run looked for it. */
  async of(source: string, author: SourceAuthor, host: string): Promise<readonly string[] | null> {
    const row = await this.#prepare(
      "select networks from pinned_network where source = ? and author = ? and host = ?",
    ).get(source, author, host)
    return row ? (JSON.parse(String(row["networks"])) as string[]) : null
  }

  async pin(source: string, author: SourceAuthor, host: string, networks: readonly string[]): Promise<void> {
    await this.#prepare(PIN).run(source, author, host, JSON.stringify(networks), Date.now())
  }

  /** Has the next run take the networks that it finds. @returns whether any were kept. */
  async forget(source: string): Promise<boolean> {
    return (
      Number((await this.#prepare("delete from pinned_network where source = ?").run(source)).changes) > 0
    )
  }
}
