import type { ImageFacts } from "#crawler/upkeep/images/image-store.ts"

import type { Middleware } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { parameter } from "../../server/middleware/query-parameters.ts"
import { liveUrl } from "../../core/read/live-url.ts"
import { findPage } from "../../core/read/find-page.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

/** What crawls saw of the images of pages. */
export interface Thumbnails {
  facts(urls: readonly string[], pageUrl: string): Promise<ReadonlyMap<string, ImageFacts>>
  /** Null when it is gone or damaged. */
  thumbnail(id: number): Promise<Buffer | null>
}

/** Longer than a page is read, shorter than an image changes. */
const KEPT_SECONDS = 3600

/**
 * GET /thumbnails: an image of a page as a crawl saw it, from the appliance's own store. Whoever may see the page may see
 * its images, and no others.
 */
export function thumbnails(known: Thumbnails, knowledge: PageKnowledge): Middleware {
  return async (ctx) => {
    const given = parameter(ctx, "page")
    const url = given === undefined ? null : liveUrl(given)
    if (url === null) throw badRequest("Invalid page. Must be an http or https address.")
    const image = parameter(ctx, "image")
    if (image === undefined) throw badRequest("Invalid image. Must be the address of an image of the page.")
    const page = await findPage(url, { reach: ctx.state.reach, knowledge })
    const isItsOwn = page?.images.some((one) => one.url === image) === true
    const facts = isItsOwn ? (await known.facts([image], page.url)).get(image) : undefined
    if (facts?.state !== "read") throw new ApiError(404, NONE)
    const body = await known.thumbnail(facts.id)
    // The folder may be deleted at any time; it is made again.
    if (body === null) throw new ApiError(404, NONE)
    ctx.set("Cache-Control", `private, max-age=${KEPT_SECONDS}`)
    ctx.type = "image/webp"
    ctx.body = body
  }
}

const NONE =
  "There is no thumbnail of this image: no page that you may see has it, or no crawl has looked at it."
