/** What stands there until it is known who is signed in: what the document itself says before any script runs (`build/page.ts`). */
export function Waiting() {
  return (
    <p class="booting">
      <img src="faces/icon.svg" alt="" width="32" height="32" />
      <span>Fossick</span>
    </p>
  )
}
