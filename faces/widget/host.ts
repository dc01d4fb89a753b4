import type { Options } from "./options.ts"
import { followScheme } from "./page-scheme.ts"

/** Made by the build of the style sheets of this face. */
declare const FACE_STYLES: string

/** The element of the widget in the host page, and the tree inside it, which no style of the page reaches. */
export function openHost(scheme: Options["scheme"]) {
  const element = document.createElement("fossick-search")
  const root = element.attachShadow({ mode: "open" })
  const styles = new CSSStyleSheet()
  // No `<style>`: a policy of the page that forbids inline styles does not bind sheets that scripts make.
  styles.replaceSync(FACE_STYLES)
  root.adoptedStyleSheets = [styles]
  followScheme(element, scheme)
  return {
    root,
    /** Sites that change pages without loading them may have thrown the element away. */
    attach() {
      if (!element.isConnected) document.body.append(element)
    },
  }
}
