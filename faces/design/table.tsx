import type { ComponentChildren } from "preact"

/** A column: its heading, and the content of its cells. */
export interface Column<Row> {
  readonly heading: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  /** Whether the column contains numbers, which are aligned to the right. */
  readonly isNumber?: boolean
}

/** A table with headings. On a narrow screen it scrolls in its own box, which can be reached with the keyboard. */
export function Table<Row>({
  caption,
  label = caption,
  columns,
  rows,
  keyOf,
}: {
  /** Caption, read out first but not shown. */
  readonly caption: string
  /** Label of the box that scrolls. */
  readonly label?: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}) {
  const look = (column: Column<Row>) => (column.isNumber === true ? "number" : undefined)
  return (
    <div class="table-box" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" class={look(column)}>
                {column.heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                <td key={index} class={look(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
