/** The date in a column of milliseconds since the epoch, or null. */
export const dateOrNull = (value: unknown): Date | null => (value === null ? null : new Date(Number(value)))
