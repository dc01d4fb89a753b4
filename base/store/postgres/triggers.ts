import { STATEMENT_END, type Token } from "./sql-tokens.ts"

/**
 * A trigger of SQLite as a function and a trigger of PostgreSQL. Its condition goes into the function, since that of a trigger
 * may not look into tables.
 *
 * @param statementSql one statement of its body, for PostgreSQL
 */
export function triggerSql(
  tokens: readonly Token[],
  statementSql: (tokens: readonly Token[]) => string,
): string {
  const begin = tokens.findIndex(({ word }) => word === "begin")
  const when = tokens.findIndex(({ word }, at) => word === "when" && at < begin)
  const head = tokens.slice(0, when < 0 ? begin : when)
  const on = head.findIndex(({ word }) => word === "on")
  const after = head.findIndex(({ word }) => word === "after" || word === "before")
  const name = head[after - 1]!.text
  const table = head[on + 1]!.text
  const event = textOf(head.slice(after, on))
  const ifNew = head.some(({ word }) => word === "exists") ? "or replace " : ""
  const condition = when < 0 ? null : statementSql(tokens.slice(when + 1, begin))
  const body = split(tokens.slice(begin + 1, -1)).map((statement) => `${statementSql(statement)};`)
  const steps = condition === null ? body : [`if (${condition}) then`, ...body, "end if;"]
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

const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ before, text }) => before + text)
    .join("")
    .trim()
