/** A column of milliseconds since the epoch; null stays null. */
export const dateOrNull = (value: unknown): Date | null => (value === null ? null : new Date(Number(value)))
