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
  #known: { readonly version: number; readonly rules: readonly Rule[] } | undefined

  constructor(db: StateStore) {
    migrate(db, "rules", STEPS)
    this.#db = db
    this.#sql = prepareOnce(db)
  }

  get version(): number {
    return Number(this.#sql("select version from ranking_rules_version").get()?.["version"])
  }

  /** All, by id: as they are now. */
  list(): readonly Rule[] {
    const { version } = this
    if (this.#known?.version !== version) {
      const rows = this.#sql("select body from ranking_rule order by id").all()
      this.#known = { version, rules: rows.map((row) => JSON.parse(row["body"] as string) as Rule) }
    }
    return this.#known.rules
  }

  get(id: string): Rule | null {
    return this.list().find((rule) => rule.id === id) ?? null
  }

  /** Makes or replaces rules that are known to be right. @throws TooManyRules */
  put(rules: readonly Rule[], now = Date.now()): void {
    this.#change(() => {
      for (const rule of rules) {
        this.#sql(PUT).run(rule.id, JSON.stringify(rule), now)
      }
    })
  }

  /** These and no others. @returns ids of those that are gone. @throws TooManyRules */
  replaceAll(rules: readonly Rule[], now = Date.now()): readonly string[] {
    const gone = this.list().filter(({ id }) => !rules.some((rule) => rule.id === id))
    this.#change(() => {
      for (const { id } of gone) this.#sql("delete from ranking_rule where id = ?").run(id)
      for (const rule of rules) {
        this.#sql(PUT).run(rule.id, JSON.stringify(rule), now)
      }
    })
    return gone.map(({ id }) => id)
  }

  /** @returns false when there is none of that id. */
  delete(id: string): boolean {
    let isDeleted = false
    this.#change(() => {
      isDeleted = this.#sql("delete from ranking_rule where id = ?").run(id).changes > 0
    })
    return isDeleted
  }

  #change(work: () => void): void {
    transaction(this.#db, () => {
      work()
      const count = Number(this.#sql("select count(*) as n from ranking_rule").get()?.["n"])
      if (count > MOST_RULES) throw new TooManyRules()
      this.#sql("update ranking_rules_version set version = version + 1").run()
    })
  }
}
