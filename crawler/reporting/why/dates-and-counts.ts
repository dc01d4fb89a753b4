/** `2026-11-21 06:36 UTC`. */
export function dateText(date: Date | number): string {
  return `${new Date(date).toISOString().slice(0, 16).replace("T", " ")} UTC`
}

/** `1 page`, `1,204 pages`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`
}
