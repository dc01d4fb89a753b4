import { render } from "preact"

import { openAsking } from "./ask.ts"
import { SearchDialog } from "./dialog.tsx"
import { openHost } from "./host.ts"
import { type Options, readOptions } from "./options.ts"
import { OpenButton } from "./open-button.tsx"

/** The widget for other people's pages: one classic script, which reads its own element. */
const script = document.currentScript

/** The API for the host page, as `window.fossick`. */
interface Opener {
  /** Opens the box. */
  open(): void
}

declare global {
  interface Window {
    fossick?: Opener
  }
}

function start(options: Options): void {
  const asking = openAsking(options)
  const host = openHost(options.scheme)
  let isOpen = false
  const draw = () => {
    host.attach()
    render(
      <>
        {options.button === null && <OpenButton label={options.label} onOpen={open} />}
        {isOpen && <SearchDialog asking={asking} options={options} onClose={close} />}
      </>,
      host.root,
    )
  }
  const open = () => {
    isOpen = true
    draw()
  }
  const close = () => {
    isOpen = false
    draw()
  }
  addEventListener(
    "keydown",
    (event) => {
      if (
        event.key.toLowerCase() !== "k" ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return
      event.preventDefault()
      // Otherwise the page might also use these keys, for its own search.
      event.stopImmediatePropagation()
      if (isOpen) host.root.querySelector("dialog")?.close()
      else open()
    },
    { capture: true },
  )
  if (options.button) {
    const { button } = options
    // Elements are looked up when clicked, because pages create and replace them at any time.
    document.addEventListener("click", (event) => {
      if (!(event.target instanceof Element) || event.target.closest(button) === null) return
      event.preventDefault()
      open()
    })
  }
  window.fossick = { open }
  draw()
}

/** The script may be in the head, and load before there is a body; if it is loaded twice, it still runs only once. */
function begin(): void {
  if (!(script instanceof HTMLScriptElement) || window.fossick) return
  try {
    const options = readOptions(script.src, script.dataset)
    if (options.button) document.querySelector(options.button)
    start(options)
  } catch (error) {
    console.error(`Fossick: ${(error as Error).message}`)
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin)
else begin()
