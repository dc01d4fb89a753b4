import type { PageUrl } from "#engine"
import { readForms } from "../../fetch/login/login-form.ts"
import type { SiteLook } from "./site-look.ts"

/** A form that asks for a password. */
export interface LoginForm {
  /** The address of the page with the form. */
  readonly url: PageUrl
  /** Names of the form's controls for the user and the password; `user` is null if the form has no user control. */
  readonly user: string | null
  readonly password: string
  /** Names of the form's hidden fields, possibly including a CSRF token; they are sent as they are on the page. */
  readonly hidden: readonly string[]
  /** Whether the form can be submitted by the crawler: by POST, to the same site. Other forms need cookies or a token instead. */
  readonly isPlain: boolean
}

/** The login form on a page, or `null`. A form with two password fields is for registration. */
export function loginForm({
  url,
  html,
  inputs,
}: Pick<SiteLook, "url" | "html" | "inputs">): LoginForm | null {
  const ofType = (names: ReadonlySet<string>, types: readonly string[]) =>
    inputs.filter(({ name, type }) => names.has(name) && types.includes(type)).map(({ name }) => name)
  for (const form of readForms(html, url)) {
    const [password, second] = ofType(form.names, ["password"])
    if (password === undefined || second !== undefined) continue
    const [user = null] = ofType(form.names, ["text", "email", "tel"])
    const isPlain = form.method === "post" && new URL(form.action).origin === new URL(url).origin
    return { url, user, password, hidden: [...new Set(ofType(form.names, ["hidden"]))], isPlain }
  }
  return null
}

const LOGIN_TEXT =
  /^\s*(?:log[ -]?in|sign[ -]?in|anmelden|einloggen|connexion|se connecter|iniciar sesi[oó]n|accedi|entrar)\s*$/i
const LOGIN_PATH = /(?:^|[/=])(?:log-?in|sign-?in|users\/sign_in|UserLogin|Special:UserLogin)(?:[/?&.]|$)/i

/** The page's link to a login form on its own host, or `null`. */
export function loginLink({ url, links }: Pick<SiteLook, "url" | "links">): PageUrl | null {
  const { host } = new URL(url)
  const own = links.filter((link) => new URL(link.url).host === host)
  const found = own.find(({ text }) => LOGIN_TEXT.test(text)) ?? own.find((link) => LOGIN_PATH.test(link.url))
  return (found?.url as PageUrl | undefined) ?? null
}
