import type { Page } from "playwright"

/**
 * On a busy machine an answer may be chosen by words alone, and then be another one; the response says so. The page's searches
 * are made again until the meaning of the units was there in time.
 */
export const answersInTime = (page: Page): Promise<unknown> =>
  page.route(/\/search$/, async (route) => {
    let response = await route.fetch()
    while ((await response.text()).includes("answer_meaning")) response = await route.fetch()
    await route.fulfill({ response })
  })
