import type { Rule } from "#engine"
import { replaceSql } from "#base/store/state-port.ts"
import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"

import { MOST_RULES } from "./rule-schema.ts"

const STEPS = [
  `create table ranking_rule (
     id text primary key,
     body text not null,
     changed_at integer not null
   ) strict, without rowid;
   create table ranking_rules_version (
     one integer primary key check (one = 1),
     version integer not null
   ) strict;
   insert into ranking_rules_version values (1, 0)`,
]

const PUT = replaceSql("ranking_rule", ["id", "body", "changed_at"], ["id"])

/** All rules, by id, and the version that they make up together. */
export interface Ruled {
  readonly version: number
  readonly rules: readonly Rule[]
}

/** There would be more rules than there may be. */
export class TooManyRules extends Error {
  constructor() {
    super(`There may be ${MOST_RULES} rules at most.`)
  }
}

/**
 * The operator's rules in `state.db`. Each change raises the version, by which every process that opened the store sees it with its next question.
 */
export class RuleStore {
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>
  #known: Ruled | undefined

  constructor(db: StateStore) {
    migrate(db, "rules", STEPS)
    this.#db = db
    this.#sql = prepareOnce(db)
  }

  async version(): Promise<number> {
    return Number((await this.#sql("select version from ranking_rules_version").get())?.["version"])
  }

  /** As they are now. */
  async now(): Promise<Ruled> {
    const known = this.#known
    if (known !== undefined && known.version === (await this.version())) return known
    // In one statement: between two of them the rules might change.
    const rows = await this.#sql(
      "select version, body from ranking_rules_version left join ranking_rule on true order by id",
    ).all()
    const rules = rows.flatMap((row) =>
      row["body"] === null ? [] : [JSON.parse(row["body"] as string) as Rule],
    )
    return (this.#known = { version: Number(rows[0]?.["version"]), rules })
  }

  /** All, by id: as they are now. */
  async list(): Promise<readonly Rule[]> {
    return (await this.now()).rules
  }

  async get(id: string): Promise<Rule | null> {
    return (await this.list()).find((rule) => rule.id === id) ?? null
  }

  /** Makes a rule that is known to be right. @returns false when there is one of its id. @throws TooManyRules */
  async add(rule: Rule, now = Date.now()): Promise<boolean> {
    return await transaction(this.#db, async () => {
      const { changes } = await this.#sql(
        "insert into ranking_rule (id, body, changed_at) values (?, ?, ?) on conflict (id) do nothing",
      ).run(rule.id, JSON.stringify(rule), now)
      if (Number(changes) === 0) return false
      await this.#raiseVersion()
      return true
    })
  }

  /** Makes or replaces rules that are known to be right. @throws TooManyRules */
  async put(rules: readonly Rule[], now = Date.now()): Promise<void> {
    await this.#change(async () => {
      for (const rule of rules) {
        await this.#sql(PUT).run(rule.id, JSON.stringify(rule), now)
      }
    })
  }

  /** These and no others. @returns ids of those that are gone. @throws TooManyRules */
  async replaceAll(rules: readonly Rule[], now = Date.now()): Promise<readonly string[]> {
    return await this.#change(async () => {
      const kept = await this.#sql("select id from ranking_rule order by id").all()
      const gone = kept.map(({ id }) => String(id)).filter((id) => !rules.some((rule) => rule.id === id))
      for (const id of gone) await this.#sql("delete from ranking_rule where id = ?").run(id)
      for (const rule of rules) {
        await this.#sql(PUT).run(rule.id, JSON.stringify(rule), now)
      }
      return gone
    })
  }

  /** @returns false when there is none of that id. */
  async delete(id: string): Promise<boolean> {
    return await this.#change(
      async () => (await this.#sql("delete from ranking_rule where id = ?").run(id)).changes > 0,
    )
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    return await transaction(this.#db, async () => {
      const result = await work()
      await this.#raiseVersion()
      return result
    })
  }

  async #raiseVersion(): Promise<void> {
    const count = Number((await this.#sql("select count(*) as n from ranking_rule").get())?.["n"])
    if (count > MOST_RULES) throw new TooManyRules()
    await this.#sql("update ranking_rules_version set version = version + 1").run()
  }
}
