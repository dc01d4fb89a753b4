import type { ComponentChildren } from "preact"

type Cells = readonly ComponentChildren[]

/** A table of a page, in its own box that scrolls. */
export const TextTable = ({
  names,
  rows,
  role = "group",
}: {
  /** Column names; empty if there are none. */
  readonly names: Cells
  readonly rows: readonly Cells[]
  /** A group by default, since a page of results would otherwise have dozens of regions with the same name. */
  readonly role?: "group" | "region"
}) => (
  <div class="table-box" role={role} aria-label="Table" tabIndex={0}>
    <table class="table">
      {names.length > 0 && (
        <thead>
          <tr>
            {names.map((name, index) => (
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells, index) => (
          <tr key={index}>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
