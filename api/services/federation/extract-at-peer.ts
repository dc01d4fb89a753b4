import { Ajv, type ValidateFunction } from "ajv"

import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import { type Peer, PeerError } from "./peer.ts"

/** Maximum size in bytes of one page; larger pages are abandoned. */
const MOST_BYTES = 2 * 1024 * 1024

/** A page as a peer extracted it, or why the peer could not. */
export type ExtractedAtPeer =
  | {
      readonly title: string
      readonly raw_content: string
      readonly images: readonly string[]
      readonly favicon?: string | null
    }
  | { readonly error: string }

interface Answer {
  readonly results: readonly Exclude<ExtractedAtPeer, { readonly error: string }>[]
  readonly failed_results: readonly { readonly error: string }[]
}

const text = { type: "string", maxLength: MOST_BYTES }
const schema = {
  type: "object",
  required: ["results", "failed_results"],
  properties: {
    results: {
      type: "array",
      maxItems: 1,
      items: {
        type: "object",
        required: ["title", "raw_content", "images"],
        properties: {
          title: text,
          raw_content: text,
          images: { type: "array", items: text, maxItems: 5000 },
          favicon: { anyOf: [text, { type: "null" }] },
        },
      },
    },
    failed_results: {
      type: "array",
      maxItems: 1,
      items: {
        type: "object",
        required: ["error"],
        properties: { error: { type: "string", maxLength: 2000 } },
      },
    },
  },
}

let validate: ValidateFunction<Answer> | undefined

/**
 * A page of a peer, read by that peer.
 * @throws the reason of `signal`
 */
export async function extractAtPeer(
  peer: Peer,
  body: object,
  { hops, signal }: { readonly hops: number; readonly signal: AbortSignal },
): Promise<ExtractedAtPeer> {
  validate ??= new Ajv({ ...OWN_SCHEMA, strict: true, strictRequired: false }).compile<Answer>(schema)
  const isAnswer = validate
  try {
    const answer = await peer.ask("/extract", body, (found) => (isAnswer(found) ? found : null), {
      hops: hops + 1,
      signal,
      maxBytes: MOST_BYTES,
    })
    const [page] = answer.results
    if (page !== undefined) {
      const images = page.images.filter((one) => /^https?:\/\//.test(one))
      const { title, raw_content: raw, favicon } = page
      const isIcon = typeof favicon === "string" && /^https?:\/\//.test(favicon)
      return {
        title,
        raw_content: raw,
        images,
        ...(favicon !== undefined && { favicon: isIcon ? favicon : null }),
      }
    }
    return {
      error: answer.failed_results[0]?.error ?? `The peer ${peer.spec.name} returned nothing for the page.`,
    }
  } catch (error) {
    if (!(error instanceof PeerError)) throw error
    return { error: `The peer ${peer.spec.name}, which holds this page, ${error.message}.` }
  }
}
