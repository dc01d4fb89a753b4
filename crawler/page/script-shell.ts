import { Parser } from "htmlparser2"
import { breather } from "#base/flow/breather.ts"
import { isProgramType, makesPage, MAX_SCRIPT_CHARS, mayMakePage } from "./extract/html/page-scripts.ts"
import { toPlainText } from "./extract/markdown/plain-text.ts"

/** Main content with fewer characters than this might be all that a page shows without scripts. */
const THIN_CHARS = 200
/** The maximum length of a placeholder ("Loading …"), or of the text of a page without content. */
const EMPTY_CHARS = 40
/** The maximum length of the text on a page that asks for JavaScript outside a `<noscript>`. */
const ASKING_CHARS = 400
/** The maximum length of a document that is examined: shells are short, except for the data they include. */
const MAX_READ_CHARS = 2_000_000
const STEP_CHARS = 16_384
/** The maximum nesting: parsers get slower with deeper nesting, and shells are hardly nested. */
const MAX_DEPTH = 500

/** Matches characters of scripts in which one character carries as much information as about two and a half Latin letters. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu

/** Whether main content is so short that it may be missing something. */
export function isThin(markdown: string): boolean {
  const text = toPlainText(markdown.slice(0, THIN_CHARS * 20))
  const dense = text.match(DENSE)?.length ?? 0
  return text.length + dense * 1.5 < THIN_CHARS
}

/**
 * Whether an HTML document is the shell of a page that is built by scripts: it has scripts that could do so, and an
 * element that waits for content, a `<noscript>` that asks for JavaScript, or no text at all.
 *
 * Only call this for thin pages. It is designed to miss a shell rather than mistake a short page for one.
 */
export async function isScriptShell(html: string): Promise<boolean> {
  const signs = new ShellSigns()
  const parser = new Parser(signs, { decodeEntities: true })
  const breathe = breather()
  for (let at = 0; at < Math.min(html.length, MAX_READ_CHARS); at += STEP_CHARS) {
    parser.write(html.slice(at, at + STEP_CHARS))
    if (signs.depth > MAX_DEPTH) return false
    await breathe()
  }
  parser.end()
  return signs.hasScript && (signs.hasEmptyRoot || signs.asksForJavaScript() || signs.chars <= EMPTY_CHARS)
}

/** The ids of the elements that common frameworks fill. */
const ROOT_IDS = new Set(
  [
    "root app main application react-root react-app reactroot approot app-root root-app app-container main-app",
    "__next __nuxt __layout ___gatsby svelte sapper q-app ember-app elm elm-node vue-app single-spa-application",
    "app-mount mount wrapper-app js-app spa appcontainer app_container webapp content-root docs-root swagger-ui redoc",
  ]
    .join(" ")
    .split(" "),
)
const ROOT_ATTRIBUTES = [
  "data-reactroot",
  "ng-app",
  "data-ng-app",
  "ng-version",
  "data-server-rendered",
  "data-v-app",
]
/** Elements whose text is not visible. */
const SILENT = new Set([
  "head",
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "textarea",
  "select",
])
const ASKS_FOR_JAVASCRIPT = /java\s?script/i

class ShellSigns {
  /** The number of characters that a reader without scripts sees, with white space collapsed. */
  chars = 0
  hasScript = false
  hasEmptyRoot = false
  #noscriptAsks = false
  /** The first part of the visible text. */
  #text = ""
  readonly #open: { readonly name: string; readonly isRoot: boolean; readonly charsBefore: number }[] = []
  get depth(): number {
    return this.#open.length
  }

  #silent = 0
  #inNoscript = false
  /** The text of the script that is being read; null outside scripts, or if the script is not a program. */
  #program: string | null = null

  onopentag(name: string, attributes: Record<string, string>): void {
    if (name === "script") this.#script(attributes)
    if (SILENT.has(name)) this.#silent += 1
    if (name === "noscript") this.#inNoscript = true
    this.#open.push({ name, isRoot: isRoot(name, attributes), charsBefore: this.chars })
  }

  onclosetag(name: string): void {
    const element = this.#open.pop()
    if (SILENT.has(name)) this.#silent -= 1
    if (name === "noscript") this.#inNoscript = false
    if (name === "script" && this.#program !== null) {
      this.hasScript ||= makesPage(this.#program)
      this.#program = null
    }
    if (element?.isRoot === true && this.chars - element.charsBefore <= EMPTY_CHARS) this.hasEmptyRoot = true
  }

  ontext(text: string): void {
    if (this.#program !== null && this.#program.length < MAX_SCRIPT_CHARS) this.#program += text
    if (this.#inNoscript && ASKS_FOR_JAVASCRIPT.test(text)) this.#noscriptAsks = true
    if (this.#silent > 0) return
    const shown = text.replace(/\s+/g, " ").trim()
    this.chars += shown.length
    if (this.#text.length < ASKING_CHARS) this.#text += `${shown} `
  }

  /** Whether the page asks for JavaScript, in a `<noscript>` or as its only text. */
  asksForJavaScript(): boolean {
    return this.#noscriptAsks || (this.chars < ASKING_CHARS && ASKS_FOR_JAVASCRIPT.test(this.#text))
  }

  #script({ type = "", src }: Record<string, string>): void {
    if (!isProgramType(type)) return
    if (src === undefined) this.#program = ""
    else if (mayMakePage(src)) this.hasScript = true
  }
}

/** Whether an element is a known place for content, or a custom element that wraps the whole page, such as `<app-root>`. */
function isRoot(name: string, attributes: Record<string, string>): boolean {
  const id = attributes["id"]?.toLowerCase()
  return (
    (id !== undefined && ROOT_IDS.has(id)) ||
    /^(?:\w+-)?(?:app|root|shell)(?:-\w+)?$/.test(name) ||
    ROOT_ATTRIBUTES.some((attribute) => attribute in attributes)
  )
}
