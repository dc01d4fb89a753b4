import type { Router } from "@koa/router"

import type { Admissions } from "../../identity/accounts/limits/admission.ts"
import type { KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { RequestState } from "../../context.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import type { PageKnowledge } from "./page-knowledge.ts"
import { pages } from "./pages.ts"
import { read } from "./read.ts"
import { sources } from "./sources.ts"
import { type Thumbnails, thumbnails } from "./thumbnails.ts"

/** First path segments of the calls below. */
export const PAGE_PATHS = ["pages", "read", "sources", "thumbnails"]

/** The calls on what the index holds by address. A stored page is let in and paid for as an extraction. */
export function pageRoutes(
  router: Router<RequestState>,
  {
    keys,
    admissions,
    knowledge,
    misses,
    about,
    images,
  }: {
    readonly keys: Pick<KeyStore, "verify">
    readonly admissions: Admissions
    readonly knowledge: PageKnowledge
    /** Says why a page is not there; null: nobody does. */
    readonly misses: MissKnowledge | null
    readonly about: string
    /** Of the pages; left out, none are served. */
    readonly images?: Thumbnails | undefined
  },
): void {
  const key = authentication(keys, { bodyKey: false }).beforeBody
  const admit = admission(admissions, "extract", { isStored: true })
  router.get("/pages", key, admit, pages(knowledge, misses))
  router.get(/^\/read\/.+/s, key, admit, read(knowledge, misses))
  if (images)
    router.get("/thumbnails", key, admission(admissions, "thumbnails"), thumbnails(images, knowledge))
  router.get("/sources", key, admission(admissions, "sources"), sources(knowledge, about))
}
