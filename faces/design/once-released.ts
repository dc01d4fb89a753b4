/**
 * Acts once no mouse button is held down. A message that appears at a field while a button of the page is pressed
 * would move that button from under the pointer, and the click would be lost.
 */
export function onceReleased(act: () => void): void {
  if (document.querySelector(":active") === null) return act()
  const released = new AbortController()
  for (const name of ["pointerup", "pointercancel"] as const) {
    // Runs after the click, which follows in the same task.
    addEventListener(name, () => (released.abort(), setTimeout(act)), {
      signal: released.signal,
      capture: true,
    })
  }
}
