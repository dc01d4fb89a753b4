/** `41 s`, `3 min 20 s`, `1 h 15 min`. @param seconds a whole number */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** Like {@link duration}, but without seconds from one minute up, for estimates that are not exact to the second. */
export function aboutSeconds(seconds: number): string {
  return duration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60).replace(" 0 s", "")
}
