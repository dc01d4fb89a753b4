import type Koa from "koa"

import type { RequestState } from "./context.ts"
import type { Feature } from "./feature.ts"
import { features } from "./features.ts"
import { type Desk, deskOf } from "./server/frame/desk.ts"
import { framed } from "./server/frame/frame.ts"
import type { AppParts } from "./server/frame/parts.ts"

export type { Desk } from "./server/frame/desk.ts"
export type { ApiConfig, AppParts } from "./server/frame/parts.ts"

/** The HTTP application with all its features, without a socket. It neither opens nor closes any of its parts. */
export const createApp = (parts: AppParts): Promise<Koa<RequestState>> => appOf<unknown>(features, parts)

/**
 * The application with only some of the features.
 * @param parts the app's own parts, plus any the features need
 */
export const appOf = <More>(
  all: readonly Feature<Desk & More>[],
  parts: AppParts & More,
): Promise<Koa<RequestState>> => framed({ ...parts, ...deskOf(parts, all) }, all)
