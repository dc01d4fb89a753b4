import { fnv1a } from "#base/text/hash.ts"

/** The 32-bit hash of a term. */
export const termHash = (term: string): number => fnv1a(term) >>> 0
