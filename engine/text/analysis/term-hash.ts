import { fnv1a } from "#base/text/hash.ts"

/** 32 bits of a term. */
export const termHash = (term: string): number => fnv1a(term) >>> 0
