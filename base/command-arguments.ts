/** Invalid arguments; the message names the expected ones. */
export class ArgumentsError extends Error {}

/** The value of an option that takes a whole number. @throws ArgumentsError */
export function wholeNumber(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ArgumentsError(`${name} must be a whole number from ${min} to ${max}`)
  }
  return number
}
