import type { Compilable } from "kysely"
import type { QueriedStore, StateDialect, StateRow, StateValue } from "../state-port.ts"
import { Queries } from "./queries.ts"

/** A query that is built with its first use and only run from then on; `P` are the values that differ between two runs. */
export interface Once<P, R> {
  /** The first row. */
  get(db: QueriedStore, values: P): Promise<R | undefined>
  all(db: QueriedStore, values: P): Promise<R[]>
  /** As {@link all}, with some rows in memory at a time. */
  iterate(db: QueriedStore, values: P): AsyncIterable<R>
  /** @returns how many rows were changed */
  run(db: QueriedStore, values: P): Promise<number>
}

/** Stands for a value that is not known yet. */
class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** Whoever would look into it would build a query of its name. */
  toJSON(): never {
    return this[Symbol.toPrimitive]()
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(`The value of ${this.name} is not known when the query is built.`)
  }
}

/** What `build` is given: a parameter for each name that it asks for. */
const PARAMETERS = new Proxy(
  {},
  { get: (_, name) => (typeof name === "string" ? new Parameter(name) : undefined) },
)

const builderOf = (dialect: StateDialect) =>
  new Queries(
    dialect,
    { provideConnection: () => Promise.reject(new Error("A query is only built here.")) },
    (value) => value instanceof Parameter,
  )

const builders: Readonly<Record<StateDialect, Queries<unknown>>> = {
  sqlite: builderOf("sqlite"),
  postgres: builderOf("postgres"),
}

interface Compiled {
  readonly sql: string
  readonly names: readonly string[]
}

/**
 * A query for paths that run it thousands of times: building costs 10 to 30 µs, running one that was built a fifth of that.
 *
 * Constants in it are a part of its text, so that an index on some rows serves it.
 *
 * @param build is called once for each kind of store, with parameters that stand for values: it passes them on to the query, and cannot
 *   look into them
 */
export function once<Tables, P extends { readonly [K in keyof P]: StateValue }, R>(
  build: (queries: Queries<Tables>, values: P) => Compilable<R>,
): Once<P, R> {
  const compiled: Partial<Record<StateDialect, Compiled>> = {}
  const compiledFor = (dialect: StateDialect): Compiled => {
    const { sql, parameters } = build(builders[dialect] as Queries<Tables>, PARAMETERS as P).compile()
    return (compiled[dialect] = { sql, names: parameters.map((parameter) => (parameter as Parameter).name) })
  }
  const asked = (db: QueriedStore, values: P) => {
    const { sql, names } = compiled[db.dialect] ?? compiledFor(db.dialect)
    return [db.native(sql), names.map((name): StateValue => values[name as keyof P])] as const
  }
  const ask = async (db: QueriedStore, values: P) => {
    const [statement, given] = asked(db, values)
    return await statement.ask(given)
  }
  return {
    get: async (db, values) => (await ask(db, values)).rows[0] as R | undefined,
    all: async (db, values) => (await ask(db, values)).rows as R[],
    run: async (db, values) => (await ask(db, values)).changes,
    iterate: (db, values) => {
      const [statement, given] = asked(db, values)
      return statement.iterate(given) as AsyncIterable<StateRow & R>
    },
  }
}
