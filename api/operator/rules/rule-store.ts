import type { Rule } from "#engine"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"

import { MOST_RULES } from "./rule-schema.ts"

interface RuleTables {
  ranking_rule: { id: string; body: string; changed_at: number }
  ranking_rules_version: { version: number }
}

const STEPS: readonly Step[] = [
  ({ id, text, integer, strict, keyed }) => `create table ranking_rule (
     id ${text} primary key,
     body ${text} not null,
     changed_at ${integer} not null
   ) ${keyed};
   create table ranking_rules_version (
     one ${id} check (one = 1),
     version ${integer} not null
   ) ${strict};
   insert into ranking_rules_version values (1, 0)`,
]

// Run for each question.
const versionNow = once((q: Queries<RuleTables>) => q.selectFrom("ranking_rules_version").select("version"))

/** All rules, sorted by id, and the version of the whole set. */
export interface Ruled {
  readonly version: number
  readonly rules: readonly Rule[]
}

/** Thrown when there would be more rules than allowed. */
export class TooManyRules extends Error {
  constructor() {
    super(`There can be at most ${MOST_RULES} rules.`)
  }
}

/**
 * The operator's rules in `state.db`. Each change raises the version, so every process that opened the store notices
 * the change at the next question.
 */
export class RuleStore {
  readonly #db: StateStore
  readonly #queries: Queries<RuleTables>
  #known: Ruled | undefined

  constructor(db: StateStore) {
    migrate(db, "rules", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  async version(): Promise<number> {
    return (await versionNow.get(this.#db, {}))!.version
  }

  /** The current rules. */
  async now(): Promise<Ruled> {
    const known = this.#known
    if (known !== undefined && known.version === (await this.version())) return known
    // A single statement, because the rules might change between two statements.
    const rows = await this.#queries
      .selectFrom("ranking_rules_version")
      .leftJoin("ranking_rule", (join) => join.onTrue())
      .select(["version", "body"])
      .orderBy("id")
      .execute()
    const rules = rows.flatMap((row) => (row.body === null ? [] : [JSON.parse(row.body) as Rule]))
    return (this.#known = { version: rows[0]!.version, rules })
  }

  /** All current rules, sorted by id. */
  async list(): Promise<readonly Rule[]> {
    return (await this.now()).rules
  }

  async get(id: string): Promise<Rule | null> {
    return (await this.list()).find((rule) => rule.id === id) ?? null
  }

  /** Stores a valid rule. @returns false when the id is taken. @throws TooManyRules */
  async add(rule: Rule, now = Date.now()): Promise<boolean> {
    return await transaction(this.#db, async () => {
      const { numInsertedOrUpdatedRows } = await this.#queries
        .insertInto("ranking_rule")
        .values({ id: rule.id, body: JSON.stringify(rule), changed_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (numInsertedOrUpdatedRows === 0n) return false
      await this.#raiseVersion()
      return true
    })
  }

  /** Creates or replaces rules already known to be valid. @throws TooManyRules */
  async put(rules: readonly Rule[], now = Date.now()): Promise<void> {
    await this.#change(async () => {
      await this.#put(rules, now)
    })
  }

  /** Makes these the only rules. @returns ids of the deleted ones. @throws TooManyRules */
  async replaceAll(rules: readonly Rule[], now = Date.now()): Promise<readonly string[]> {
    return await this.#change(async () => {
      const kept = await this.#queries.selectFrom("ranking_rule").select("id").orderBy("id").execute()
      const gone = kept.map(({ id }) => id).filter((id) => !rules.some((rule) => rule.id === id))
      for (const id of gone) await this.#delete(id)
      await this.#put(rules, now)
      return gone
    })
  }

  /** @returns false for an unknown id. */
  async delete(id: string): Promise<boolean> {
    return await this.#change(() => this.#delete(id))
  }

  async #delete(id: string): Promise<boolean> {
    const gone = this.#queries.deleteFrom("ranking_rule").where("id", "=", id)
    return (await gone.executeTakeFirst()).numDeletedRows > 0n
  }

  async #put(rules: readonly Rule[], now: number): Promise<void> {
    for (const rule of rules) {
      const row = { body: JSON.stringify(rule), changed_at: now }
      await this.#queries
        .insertInto("ranking_rule")
        .values({ id: rule.id, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute()
    }
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    return await transaction(this.#db, async () => {
      const result = await work()
      await this.#raiseVersion()
      return result
    })
  }

  async #raiseVersion(): Promise<void> {
    const { n } = await this.#queries
      .selectFrom("ranking_rule")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow()
    if (n > MOST_RULES) throw new TooManyRules()
    await this.#queries
      .updateTable("ranking_rules_version")
      .set((eb) => ({ version: eb("version", "+", 1) }))
      .execute()
  }
}
