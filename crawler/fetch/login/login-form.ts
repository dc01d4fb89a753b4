import { Parser } from "htmlparser2"

/** A form as it is on its page, with the values that a browser would send if nothing were changed. */
export interface LoginForm {
  /** The absolute address that the form is sent to; the page's own address if the form doesn't name one. */
  readonly action: string
  readonly method: "get" | "post"
  readonly values: ReadonlyMap<string, string>
  /** Names of the form's controls, including those without a value. */
  readonly names: ReadonlySet<string>
}

interface OpenForm {
  action: string
  method: "get" | "post"
  readonly values: Map<string, string>
  readonly names: Set<string>
  hasSubmit: boolean
}

/** Controls whose value is never sent, or is sent only when they are pressed. */
const UNSENT = new Set(["button", "reset", "image", "file"])

/** All forms of a page (WHATWG HTML §4.10.21.4, constructing the entry list). */
export function readForms(html: string, url: string): LoginForm[] {
  const forms: OpenForm[] = []
  let base = url
  let form: OpenForm | null = null
  let select: { name: string; value: string | null } | null = null
  let option: string | null = null
  let area: { name: string; text: string } | null = null
  const parser = new Parser({
    onopentag(tag, attributes) {
      const { name = "", value, type = "" } = attributes
      if (tag === "base" && attributes["href"] !== undefined)
        base = URL.parse(attributes["href"], url)?.href ?? base
      if (tag === "form") {
        const action = URL.parse(attributes["action"]?.trim() || base, base)?.href ?? base
        const method = attributes["method"]?.toLowerCase() === "post" ? "post" : "get"
        form = { action, method, values: new Map(), names: new Set(), hasSubmit: false }
        forms.push(form)
      }
      if (form === null || name === "" || "disabled" in attributes) {
        if (tag === "option" && select && form) takeOption(attributes)
        return
      }
      if (tag === "input" || tag === "button")
        takeInput(form, tag, name, value, type, "checked" in attributes)
      if (tag === "select") {
        form.names.add(name)
        select = { name, value: null }
      }
      if (tag === "textarea") area = { name, text: "" }
    },
    ontext(text) {
      if (area) area.text += text
      if (option !== null) option += text
    },
    onclosetag(tag) {
      if (tag === "form") form = null
      if (tag === "option" && option !== null) {
        if (select && select.value === null) select.value = option.trim()
        option = null
      }
      if (tag === "select" && select) {
        form?.values.set(select.name, select.value ?? "")
        select = null
      }
      if (tag === "textarea" && area) {
        form?.names.add(area.name)
        form?.values.set(area.name, area.text)
        area = null
      }
    },
  })
  // The first option applies unless another one is marked as selected.
  const takeOption = (attributes: Readonly<Record<string, string>>) => {
    if (select === null) return
    const { value } = attributes
    if ("selected" in attributes) select.value = value ?? null
    else if (value !== undefined) select.value ??= value
    if (value === undefined) option = ""
  }
  parser.end(html)
  return forms
}

function takeInput(
  form: OpenForm,
  tag: string,
  name: string,
  value: string | undefined,
  givenType: string,
  isChecked: boolean,
): void {
  const type = (givenType === "" ? (tag === "button" ? "submit" : "text") : givenType).toLowerCase()
  if (UNSENT.has(type)) return
  if (type === "submit") {
    // A browser sends the button that was pressed; as none is pressed here, the first one is sent.
    if (!form.hasSubmit) form.values.set(name, value ?? "")
    form.hasSubmit = true
    return
  }
  form.names.add(name)
  if (type === "checkbox" || type === "radio") {
    if (isChecked) form.values.set(name, value ?? "on")
    return
  }
  form.values.set(name, value ?? "")
}
