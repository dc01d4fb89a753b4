import { Field } from "../../design/field.tsx"

/** A field that filters the list below it. */
export const Filter = (field: {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly onWrite: (text: string) => void
}) => (
  <div class="filter-list">
    <Field {...field} />
  </div>
)
