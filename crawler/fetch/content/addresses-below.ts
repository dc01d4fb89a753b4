import type { SourceSpec } from "../../source.ts"
import type { ContentKind } from "./content.ts"

/** An address below which others can be. */
export const isFolderAddress = (seed: string): boolean => /^[^?#]*\/$/.test(seed)

/** What is wrong where all pages are to have their addresses below the one seed. @param pages for people: `the files` */
export const atOneAddress = ({ seeds }: SourceSpec, pages: string): ReturnType<ContentKind["problems"]> =>
  seeds.length === 1 && isFolderAddress(seeds[0]!)
    ? []
    : [
        {
          path: ["seeds"],
          message: `must be one address that ends with /, below which ${pages} have theirs`,
        },
      ]
