import { useId } from "preact/hooks"

/** An option that can be checked or unchecked. */
export function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

/** Several checkboxes, one for each name. */
export function Checks<Name extends string>({
  legend,
  names,
  chosen,
  wrong,
  onChange,
}: {
  readonly legend: string
  readonly names: readonly Name[]
  readonly chosen: readonly Name[]
  readonly wrong: string | null
  readonly onChange: (chosen: readonly Name[]) => void
}) {
  const id = useId()
  return (
    <fieldset class="checks" aria-describedby={wrong === null ? undefined : id}>
      <legend>{legend}</legend>
      {names.map((one) => (
        <Check
          key={one}
          label={one}
          isOn={chosen.includes(one)}
          onChange={(isOn) => onChange(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))}
        />
      ))}
      {wrong !== null && (
        <p class="wrong-of" id={id} role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  )
}
