/** The progress of a task; indeterminate without `value`. */
export function Progress({
  label,
  value,
  max = 1,
}: {
  /** The task under way. */
  readonly label: string
  readonly value?: number
  readonly max?: number
}) {
  return <progress class="progress" aria-label={label} value={value} max={max} />
}
