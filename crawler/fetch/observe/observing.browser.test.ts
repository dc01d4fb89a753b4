import { afterEach, expect, test, vi } from "vitest"
import type { PageUrl } from "#engine"
import { ObservedRuns } from "../../testing/observed-site.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { html, startTestSite, status } from "../../testing/test-site.ts"
import { observationsOf } from "./observations.ts"

const browserPath = await findTestBrowser()

afterEach(() => void vi.unstubAllEnvs())

test(
  "pages made by scripts are observed in a browser, with one session per observer",
  { tags: ["chromium"] },
  async () => {
    for (const user of ["HR", "STAFF"]) vi.stubEnv(`${user}_SESSION`, user.toLowerCase())
    await using runs = await ObservedRuns.open()
    const words = (what: string) => `The ${what} of the company are described here at some length. `.repeat(5)
    const cookies = new Set<string>()
    // An application that remembers the signed-in user where scripts can read it, and requests the content that it
    // displays.
    const app =
      html(`<html><head><title>App</title></head><body><nav><a href="/pay">Pay</a> <a href="/rooms">Rooms</a></nav>
      <div id="root"></div><script>
      const cached = localStorage.getItem(location.pathname)
      const show = (text) => { root.innerHTML = "<main><h1>" + location.pathname + "</h1><p>" + text + "</p></main>" }
      if (cached !== null) show(cached)
      else fetch("/data" + location.pathname).then(async (answer) => {
        if (!answer.ok) return show("You have no rights here.")
        const text = await answer.text()
        localStorage.setItem(location.pathname, text)
        show(text)
      })
    </script></body></html>`)
    const data =
      (what: string, forWhom: readonly string[]) =>
      (request: Parameters<typeof app>[0], response: Parameters<typeof app>[1]) => {
        const cookie = request.headers.cookie ?? ""
        cookies.add(cookie)
        const isFor = forWhom.some((user) => cookie === `session=${user}`)
        // The browser may cache this response, so the next observer to request it would get it too.
        if (isFor) html(words(what), { "cache-control": "max-age=3600" })(request, response)
        else status(403)(request, response)
      }
    await using site = await startTestSite({
      "/": app,
      "/pay": app,
      "/rooms": app,
      "/data/": data("aims", ["hr", "staff"]),
      "/data/pay": data("salaries", ["hr"]),
      "/data/rooms": data("rooms", ["hr", "staff"]),
    })
    const login = (user: string) =>
      ({ kind: "cookies", cookies: { session: `\${${user}_SESSION}` } }) as const
    const job = await runs.runNextDay(
      {
        name: "app",
        seeds: [site.url("/")],
        rendering: "browser",
        login: login("HR"),
        observers: [
          { name: "hr", login: "same", readers: { allow: ["group:hr"] } },
          { name: "staff", login: login("STAFF"), readers: { allow: ["group:staff"] } },
          { name: "anyone", login: "none", readers: "everybody" },
        ],
      },
      { settings: { FOSSICK_BROWSER_PATH: browserPath ?? "" } },
    )
    expect(job).toMatchObject({ result: "finished", outcomes: { indexed: 3 } })
    const allowed = (path: string) => runs.engine.pages.get(site.url(path) as PageUrl)!.readers![0]!.allow
    expect(allowed("/pay")).toEqual([["group:hr"]])
    expect(allowed("/rooms")).toEqual([["group:hr", "group:staff"]])
    expect([...cookies].sort()).toEqual(["", "session=hr", "session=staff"])
    expect(await observationsOf(runs.db, site.url("/pay") as PageUrl)).toMatchObject([
      { observer: "anyone", shown: false },
      { observer: "staff", shown: false, reason: expect.stringContaining("different text") as string },
    ])
  },
)
