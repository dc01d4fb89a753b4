import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type QueryCompiler,
  QueryCreator,
  type QueryExecutor,
  type QueryExecutorProvider,
} from "kysely"
import type { QueriedStore, StateDialect, StateValue } from "../state-port.ts"
import { ADAPTER, type IsParameter, PostgresCompiler, SqliteCompiler } from "./compilers.ts"

/**
 * Builds typed queries on tables. It has no transactions of its own; its queries take part in the store's.
 *
 * @typeParam Tables the columns of each table, by table name
 */
export class Queries<Tables> extends QueryCreator<Tables> implements QueryExecutorProvider {
  readonly #executor: QueryExecutor

  constructor(dialect: StateDialect, connections: ConnectionProvider, isParameter: IsParameter = () => true) {
    const compiler: QueryCompiler =
      dialect === "sqlite" ? new SqliteCompiler(isParameter) : new PostgresCompiler(isParameter)
    const executor = new DefaultQueryExecutor(compiler, ADAPTER, connections)
    super({ executor })
    this.#executor = executor
  }

  /** Lets raw SQL run on the store: sql`select 1`.execute(queries). */
  getExecutor(): QueryExecutor {
    return this.#executor
  }
}

const known = new WeakMap<QueriedStore, Queries<unknown>>()

/** The query builder of a store, for the tables that a part declares beside its schema. Every call returns the same builder. */
export function queriesOf<Tables>(store: QueriedStore): Queries<Tables> {
  let queries = known.get(store)
  if (queries === undefined) {
    const connection = connectionOf(store)
    // No await comes before the statement, so SQLite has run it by the time `execute` returns its promise.
    queries = new Queries(store.dialect, { provideConnection: (consumer) => consumer(connection) })
    known.set(store, queries)
  }
  return queries as Queries<Tables>
}

function connectionOf(store: QueriedStore): DatabaseConnection {
  return {
    async executeQuery({ sql, parameters }: CompiledQuery) {
      const { rows, changes } = await store.native(sql).ask(parameters as readonly StateValue[])
      return { rows: rows as never[], numAffectedRows: BigInt(changes) }
    },
    async *streamQuery({ sql, parameters }: CompiledQuery) {
      for await (const row of store.native(sql).iterate(parameters as readonly StateValue[]))
        yield { rows: [row as never] }
    },
  }
}
