import { STATEMENT_END, textOf, type Token } from "./sql-tokens.ts"

/**
 * A trigger of SQLite as a function and a trigger of PostgreSQL, which does its work after each row. Its condition goes into the
 * function, since that of a trigger may not look into tables.
 *
 * @param statementSql one statement of its body, for PostgreSQL
 */
export function triggerSql(
  tokens: readonly Token[],
  statementSql: (tokens: readonly Token[]) => string,
): string {
  const placeOf = (wanted: string) => tokens.findIndex(({ word }) => word === wanted)
  const [after, on, begin] = [placeOf("after"), placeOf("on"), placeOf("begin")]
  const name = tokens[after - 1]!.text
  const table = tokens[on + 1]!.text
  const event = textOf(tokens.slice(after, on))
  const ifNew = tokens.slice(0, after).some(({ word }) => word === "exists") ? "or replace " : ""
  // Behind the table's name, and the word `when`.
  const condition = tokens.slice(on + 3, begin)
  const end = tokens.findLastIndex(({ word }) => word === "end")
  const body = split(tokens.slice(begin + 1, end)).map((statement) => `${statementSql(statement)};`)
  const steps = condition.length === 0 ? body : [`if (${statementSql(condition)}) then`, ...body, "end if;"]
  return `create or replace function ${name}_fires() returns trigger language plpgsql as $fires$
begin
${steps.join("\n")}
return null;
end $fires$;
create ${ifNew}trigger ${name} ${event} on ${table} for each row execute function ${name}_fires()`
}

function split(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]]
  for (const token of tokens) {
    if (token.text === STATEMENT_END) statements.push([])
    else statements.at(-1)!.push(token)
  }
  return statements.filter((statement) => statement.length > 0)
}
