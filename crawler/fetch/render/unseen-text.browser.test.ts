import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { testConfig } from "../../testing/crawl-fixture.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import { bytes, startTestSite } from "../../testing/test-site.ts"
import { PageReader } from "../visit/reader.ts"

const browserPath = await findTestBrowser()
const LONG = "They have all that one needs for pumps, at half the price of any other shop. ".repeat(4)

/** Ways for a style sheet in another file, or a script once it runs, to hide a box. */
const HIDDEN = {
  display: "display: none",
  visible: "visibility: hidden",
  opaque: "opacity: 0",
  white: "color: #fff",
  letters: "font-size: 1px",
  away: "position: absolute; left: -9999px",
  above: "position: absolute; top: -5000px",
  moved: "transform: translate(-9000px)",
  small: "transform: scale(0)",
  clipped: "position: absolute; clip: rect(0 0 0 0)",
  path: "clip-path: inset(100%)",
  box: "position: absolute; width: 1px; height: 1px; overflow: hidden",
  variable: "--hue: 255; color: rgb(var(--hue), var(--hue), var(--hue))",
}

describe("text that a browser does not display", { tags: ["chromium"] }, () => {
  test("is left out of the page, whatever hides it, and the rest stays", async () => {
    const names = Object.keys(HIDDEN)
    const boxes = names
      .map((name) => `<div class="${name}"><p>Secret ${name} word. ${LONG}</p></div>`)
      .join("")
    const css = Object.entries(HIDDEN).map(([name, style]) => `.${name} { ${style} }`)
    await using site = await startTestSite({
      "/s.css": bytes(css.join("\n"), { "content-type": "text/css" }),
      "/": `<!doctype html><html><head><title>Pumps</title><link rel="stylesheet" href="/s.css"></head><body><main><h1>Pumps</h1>
        <p>The pump stands on a level floor, and its inlet is below the water, so that it never draws air at all.</p>${boxes}
        <div style="background:#124;color:#fff"><p>White letters on a dark ground are read by everybody who comes.</p></div>
        <details><summary>More of it</summary><p>What is folded up is there for those who unfold it, too.</p></details>
        <p id="late"></p></main>
        <script>late.textContent = "A script wrote this sentence, and readers see it."
          const p = document.createElement("p"); p.textContent = "Secret scripted word."; p.style.fontSize = 0; document.querySelector("main").append(p)</script>
        </body></html>`,
    })
    const config = testConfig({
      FOSSICK_BROWSER_PATH: browserPath ?? "",
      FOSSICK_ALLOWED_NETWORKS: site.authority,
    })
    await using reader = new PageReader(config, { rendering: "browser" })
    const result = await reader.visit(site.url("/") as PageUrl)
    expect(result).toMatchObject({ kind: "read", reading: { rendered: true } })
    const markdown = result.kind === "read" ? result.reading.extracted.markdown : ""
    expect([...names, "scripted"].filter((name) => markdown.includes(`Secret ${name}`))).toEqual([])
    for (const shown of ["level floor", "White letters", "folded up", "A script wrote"])
      expect(markdown).toContain(shown)
  })
})
