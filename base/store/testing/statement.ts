import { sql } from "kysely"
import { queriesOf } from "../query/queries.ts"
import type { QueriedStore, StateRow, StateValue } from "../state-port.ts"

/** A statement that a test runs. */
export interface Statement {
  get(...values: StateValue[]): Promise<StateRow | undefined>
  all(...values: StateValue[]): Promise<StateRow[]>
  iterate(...values: StateValue[]): AsyncIterable<StateRow>
  run(...values: StateValue[]): Promise<{ readonly changes: number }>
}

/**
 * Lets a test query a store directly, without the code under test.
 * @param text in the store's own SQL, with `?` for each value
 */
export function statement(db: QueriedStore, text: string): Statement {
  const withValues = (values: readonly StateValue[]) => {
    const parts = text.split("?") as unknown as TemplateStringsArray
    const compiled = sql(parts, ...values).compile(queriesOf(db))
    return [db.native(compiled.sql), compiled.parameters as readonly StateValue[]] as const
  }
  const ask = async (values: readonly StateValue[]) => {
    const [native, given] = withValues(values)
    return await native.ask(given)
  }
  return {
    get: async (...values) => (await ask(values)).rows[0],
    all: async (...values) => (await ask(values)).rows,
    run: async (...values) => ({ changes: (await ask(values)).changes }),
    iterate: (...values) => {
      const [native, given] = withValues(values)
      return native.iterate(given)
    },
  }
}
