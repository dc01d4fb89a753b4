/** How far something is. Without `value` nobody knows. */
export function Progress({
  label,
  value,
  max = 1,
}: {
  /** What is under way. */
  readonly label: string
  readonly value?: number
  readonly max?: number
}) {
  return <progress class="progress" aria-label={label} value={value} max={max} />
}
