import {
  type AliasableExpression,
  type Expression,
  ExpressionWrapper,
  type RawBuilder,
  sql,
  type SqlBool,
} from "kysely"
import { NO_TURN, type StateDialect } from "../state-port.ts"
import type { WordsNode } from "./compilers.ts"
import { SCHEMA_WORDS } from "./schema-words.ts"

// Expressions that differ between the stores, or that the builder lacks.

/** An expression with separate SQL for each store. */
export function inWordsOf<T>(words: Readonly<Record<StateDialect, RawBuilder<T>>>): AliasableExpression<T> {
  const { sqlite, postgres } = words
  const node: WordsNode = {
    ...sqlite.toOperationNode(),
    words: { sqlite: sqlite.toOperationNode(), postgres: postgres.toOperationNode() },
  }
  return new ExpressionWrapper<unknown, never, T>(node)
}

/** `where("name", "in", listed(names))` passes a list of any length as one parameter, so that the statement stays the same. */
export const listed = <T extends string>(values: Iterable<T>): RawBuilder<T> =>
  listedIn(JSON.stringify([...values]))

/** Like {@link listed}, for integers. */
export const listedNumbers = <T extends number>(values: Iterable<T>): RawBuilder<T> =>
  sql`(select cast(value as bigint) from json_each(${JSON.stringify([...values])}))`

/** Like {@link listed}, for a list that is already JSON; used by queries that are built once. */
export const listedIn = <T extends string>(json: string): RawBuilder<T> =>
  sql`(select value from json_each(${json}))`

/** Whether text matches a pattern, ignoring case; for columns with a union type, and for raw fragments. */
export const isLike = (
  column: Expression<string | null>,
  pattern: string | Expression<string>,
): AliasableExpression<SqlBool> =>
  inWordsOf({ sqlite: sql`${column} like ${pattern}`, postgres: sql`${column} ilike ${pattern}` })

/** The lesser of two integers or texts; null when either is. sqlite-functions.ts defines it for PostgreSQL. */
export const lesser = <T extends number | string | null>(a: Expression<T>, b: Expression<T>): RawBuilder<T> =>
  sql`min(${a}, ${b})`

/** The greater of two integers; null when either is. */
export const greater = <T extends number | null>(a: Expression<T>, b: Expression<T>): RawBuilder<T> =>
  sql`max(${a}, ${b})`

/** Milliseconds since 1970 by the store's clock, which all processes on a server share. */
export const storeTime = (): AliasableExpression<number> =>
  inWordsOf<number>({
    sqlite: sql.raw(SCHEMA_WORDS.sqlite.now),
    postgres: sql.raw(SCHEMA_WORDS.postgres.now),
  })

/** Marks a write that is safe alongside any other write, so that it does not wait for its turn: `.modifyEnd(noTurn)`. */
export const noTurn = sql.raw(NO_TURN)
