import type { Options } from "./options.ts"
import { followScheme } from "./page-scheme.ts"

/** Inserted by the build: the style sheets of this face. */
declare const FACE_STYLES: string

/** The widget's element in the host page, and the tree inside it, which the page's styles don't reach. */
export function openHost(scheme: Options["scheme"]) {
  const element = document.createElement("fossick-search")
  const root = element.attachShadow({ mode: "open" })
  const styles = new CSSStyleSheet()
  // A `<style>` element isn't used: a page's policy can forbid inline styles, but not style sheets created by scripts.
  styles.replaceSync(FACE_STYLES)
  root.adoptedStyleSheets = [styles]
  followScheme(element, scheme)
  return {
    root,
    /** Sites that change pages without loading them may have removed the element. */
    attach() {
      if (!element.isConnected) document.body.append(element)
    },
  }
}
