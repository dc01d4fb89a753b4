import type { Options } from "./options.ts"

/** Attributes that sites use to mark dark mode: Docusaurus, Furo and others, Material for MkDocs, Bootstrap, Read the Docs. */
const ATTRIBUTES = [
  "data-theme",
  "data-md-color-scheme",
  "data-bs-theme",
  "data-color-mode",
  "class",
  "style",
]
const NAMED = ATTRIBUTES.slice(0, 4)

/** Whether the page is dark now. */
function isDark(scheme: Options["scheme"], system: MediaQueryList): boolean {
  if (scheme !== null) return scheme === "system" ? system.matches : scheme === "dark"
  for (const element of [document.documentElement, document.body]) {
    for (const name of NAMED) {
      const value = element.getAttribute(name)
      if (value === "slate" || value === "dark") return true
      if (value === "light" || value === "default") return false
    }
    if (element.classList.contains("dark")) return true
  }
  return luminanceOfPage() ?? system.matches
}

/** Whether the colour behind the page is dark; null if the page leaves it to the browser, which uses the system's. */
function luminanceOfPage(): boolean | null {
  for (const element of [document.body, document.documentElement]) {
    const { backgroundColor, colorScheme } = getComputedStyle(element)
    const [red = 0, green = 0, blue = 0, alpha = 1] = (backgroundColor.match(/[\d.]+/g) ?? []).map(Number)
    // Handles the sRGB colours that browsers return; any other notation has no commas to split at, and is left to the
    // system.
    if (backgroundColor.startsWith("rgb") && alpha > 0.5) {
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128
    }
    if (element === document.documentElement && colorScheme === "normal") return false
  }
  return null
}

/** Keeps an element as light or dark as the page, even when the page changes. */
export function followScheme(element: HTMLElement, scheme: Options["scheme"]): void {
  const system = matchMedia("(prefers-color-scheme: dark)")
  const apply = () => element.setAttribute("data-theme", isDark(scheme, system) ? "dark" : "light")
  apply()
  system.addEventListener("change", apply)
  addEventListener("load", apply)
  const watcher = new MutationObserver(apply)
  for (const root of [document.documentElement, document.body]) {
    watcher.observe(root, { attributes: true, attributeFilter: ATTRIBUTES })
  }
  // If the page fades to another colour, it takes a moment to reach it.
  document.body.addEventListener("transitionend", apply)
}
