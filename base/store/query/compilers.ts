import {
  DialectAdapterBase,
  type OperatorNode,
  PostgresQueryCompiler,
  type RawNode,
  type SelectModifierNode,
  SqliteQueryCompiler,
} from "kysely"
import type { StateDialect } from "../state-port.ts"

/** SQL that differs between the stores; see {@link inWordsOf}. */
export interface WordsNode extends RawNode {
  readonly words: Readonly<Record<StateDialect, RawNode>>
}

const wordsIn = (node: RawNode, dialect: StateDialect): RawNode =>
  (node as Partial<WordsNode>).words?.[dialect] ?? node

/** SQLite has one writer at a time and no row locks, so locking clauses are left out. */
const ROW_LOCKS: ReadonlySet<string | undefined> = new Set(["ForUpdate", "SkipLocked"])

/** Whether a value stays a parameter. Other values are written into the SQL text, since a partial index works only with constants. */
export type IsParameter = (value: unknown) => boolean

export class SqliteCompiler extends SqliteQueryCompiler {
  readonly #isParameter: IsParameter

  constructor(isParameter: IsParameter) {
    super()
    this.#isParameter = isParameter
  }

  protected override appendValue(value: unknown): void {
    if (this.#isParameter(value)) super.appendValue(value)
    else this.appendImmediateValue(value)
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(wordsIn(node, "sqlite"))
  }

  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.has(node.modifier)) super.visitSelectModifier(node)
  }
}

export class PostgresCompiler extends PostgresQueryCompiler {
  readonly #isParameter: IsParameter

  constructor(isParameter: IsParameter) {
    super()
    this.#isParameter = isParameter
  }

  protected override appendValue(value: unknown): void {
    if (this.#isParameter(value)) super.appendValue(value)
    else this.appendImmediateValue(value)
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(wordsIn(node, "postgres"))
  }

  /** `like` ignores case, as in SQLite. */
  protected override visitOperator(node: OperatorNode): void {
    const { operator } = node
    if (operator === "like" || operator === "not like") this.append(operator.replace("like", "ilike"))
    else super.visitOperator(node)
  }
}

/** Both stores support `returning`. */
class StateAdapter extends DialectAdapterBase {
  override get supportsReturning(): boolean {
    return true
  }

  override async acquireMigrationLock(): Promise<never> {
    throw new Error("state-store.ts runs the migrations.")
  }

  override async releaseMigrationLock(): Promise<never> {
    throw new Error("state-store.ts runs the migrations.")
  }
}

export const ADAPTER = new StateAdapter()
