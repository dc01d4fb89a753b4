import { access, constants } from "node:fs/promises"

/** Where a browser is, or a message that says why there is none and what to do. */
export type FoundBrowser = { readonly path: string } | { readonly missing: string }

const ADVICE =
  "install one with `npx playwright install chromium` or your system's chromium package, or set FOSSICK_BROWSER_PATH"

/** Paths of Chromium and related browsers. Snap's is last, because it cannot access most folders. */
const SYSTEM_BROWSERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/usr/bin/microsoft-edge-stable",
    "/usr/bin/chromium-browser",
    "/usr/local/bin/chromium",
    "/snap/bin/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: ["C:\\Program Files", "C:\\Program Files (x86)"].flatMap((programs) => [
    `${programs}\\Google\\Chrome\\Application\\chrome.exe`,
    `${programs}\\Chromium\\Application\\chrome.exe`,
    `${programs}\\Microsoft\\Edge\\Application\\msedge.exe`,
  ]),
}

/** Finds the configured browser, otherwise Playwright's own, otherwise the system's. `configured`: the setting, possibly empty. */
export async function findBrowser(configured: string): Promise<FoundBrowser> {
  if (configured !== "") {
    return (await isExecutable(configured))
      ? { path: configured }
      : { missing: `FOSSICK_BROWSER_PATH is ${configured}, which isn't a program` }
  }
  const { chromium } = await import("playwright")
  for (const path of [chromium.executablePath(), ...(SYSTEM_BROWSERS[process.platform] ?? [])]) {
    if (await isExecutable(path)) return { path }
  }
  return { missing: `no browser was found: ${ADVICE}` }
}

/** @throws Error saying what to install. */
export async function requireBrowser(configured: string): Promise<void> {
  const found = await findBrowser(configured)
  if ("missing" in found) throw new Error(`this source needs a browser, but ${found.missing}`)
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
