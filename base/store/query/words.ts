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

// What the stores say in different words, each once.

/** SQL that the stores say in different words. */
export function inWordsOf<T>(words: Readonly<Record<StateDialect, RawBuilder<T>>>): AliasableExpression<T> {
  const { sqlite, postgres } = words
  const node: WordsNode = {
    ...sqlite.toOperationNode(),
    words: { sqlite: sqlite.toOperationNode(), postgres: postgres.toOperationNode() },
  }
  return new ExpressionWrapper<unknown, never, T>(node)
}

/** `where("name", "in", listed(names))`: values of a list of any length, as one parameter, so that the statement stays the same. */
export const listed = <T extends string>(values: Iterable<T>): RawBuilder<T> =>
  listedIn(JSON.stringify([...values]))

/** As {@link listed}, of integers. */
export const listedNumbers = <T extends number>(values: Iterable<T>): RawBuilder<T> =>
  sql`(select cast(value as bigint) from json_each(${JSON.stringify([...values])}))`

/** As {@link listed}, of a JSON text: for a query that is built once. */
export const listedIn = <T extends string>(json: string): RawBuilder<T> =>
  sql`(select value from json_each(${json}))`

/** Whether a text is like a pattern, whatever their case; for columns whose type is some texts, and for raw fragments. */
export const isLike = (
  column: Expression<string | null>,
  pattern: string | Expression<string>,
): AliasableExpression<SqlBool> =>
  inWordsOf({ sqlite: sql`${column} like ${pattern}`, postgres: sql`${column} ilike ${pattern}` })

/** The lesser of two integers or texts; null when one of them is. On a server it is a function of sqlite-functions.ts. */
export const lesser = <T extends number | string | null>(a: Expression<T>, b: Expression<T>): RawBuilder<T> =>
  sql`min(${a}, ${b})`

/** The greater of two integers; null when one of them is. */
export const greater = <T extends number | null>(a: Expression<T>, b: Expression<T>): RawBuilder<T> =>
  sql`max(${a}, ${b})`

/** Milliseconds since 1970 by the clock of the store, which is one for all processes on a server. */
export const storeTime = (): AliasableExpression<number> =>
  inWordsOf<number>({
    sqlite: sql.raw(SCHEMA_WORDS.sqlite.now),
    postgres: sql.raw(SCHEMA_WORDS.postgres.now),
  })

/** At the end of a write that is right whatever others write at the same moment, and so waits for no turn: `.modifyEnd(noTurn)`. */
export const noTurn = sql.raw(NO_TURN)
