import { type Readers, readersLabel } from "#engine/index/page/readers.ts"

/** A label that equal readers share, whichever source they come from; `null` for everybody. */
export const labelOf = (readers: Readers): string | null => readersLabel([{ source: "", ...readers }])
