/** A headless browser: it keeps cookies by host, as browsers do, follows redirects, and fills in forms. */
export class Visitor {
  /** Cookies by host. */
  readonly jar = new Map<string, Map<string, string>>()
  /** Every address it has visited, the latest last. */
  readonly visited: string[] = []

  /** Opens an address, and follows all redirects. */
  async open(url: string, init: RequestInit = {}): Promise<Shown> {
    let next = url
    let options = init
    for (let hops = 0; hops < 20; hops++) {
      this.visited.push(next)
      const response = await this.send(next, options)
      const to = response.headers.get("location")
      if (to === null) return { url: next, status: response.status, text: await response.text() }
      next = new URL(to, next).href
      options = {}
    }
    throw new Error(`Too many redirects: ${this.visited.join(" ")}`)
  }

  /** Sends one request, with the cookies of its host. */
  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const cookies = this.jar.get(host) ?? new Map<string, string>()
    const headers = new Headers(init.headers)
    headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "))
    const response = await fetch(url, { ...init, headers, redirect: "manual" })
    for (const one of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(one)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    this.jar.set(host, cookies)
    return response
  }

  /** Submits a page's form with these fields in addition to its hidden ones. */
  async submit({ url, text }: Shown, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1]
    if (action === undefined) throw new Error(`There is no form at ${url}: ${text.slice(0, 500)}`)
    const hidden = [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name, value]): [string, string] => [name!, value!],
    )
    const body = new URLSearchParams([...hidden, ...Object.entries(fields)])
    return await this.open(new URL(action, url).href, { method: "POST", body })
  }

  /** Signs in at the provider, as a user who sees its pages would. @returns the final page's content */
  async signIn(start: string, login: string): Promise<Shown> {
    const shown = await this.open(start)
    return shown.text.includes('name="login"') ? await this.submit(shown, { login }) : shown
  }

  /** The appliance's answer about the session. */
  async session(appliance: string): Promise<Readonly<Record<string, unknown>>> {
    return (await (await this.send(`${appliance}/session`)).json()) as Readonly<Record<string, unknown>>
  }
}

/** A page. */
export interface Shown {
  readonly url: string
  readonly status: number
  readonly text: string
}
