/**
 * The text shown until the signed-in user is known: the document's own text before any script runs (`build/page.ts`).
 */
export function Waiting() {
  return (
    <p class="booting">
      <img src="faces/icon.svg" alt="" width="32" height="32" />
      <span>Fossick</span>
    </p>
  )
}
