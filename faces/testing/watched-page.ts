import type { Page } from "playwright"

import type { TestBrowser } from "../../api/testing/browser.ts"

/**
 * A separate page, not signed in, that records problems the browser reports: scripts, policies, requests to other
 * hosts.
 */
export async function openWatchedPage(
  { context }: TestBrowser,
  origin: string,
  size: { readonly width: number; readonly height: number },
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  await context.clearCookies()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`)
  })
  await page.setViewportSize(size)
  return { page, complaints }
}
