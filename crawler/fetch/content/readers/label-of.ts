import { type Readers, readersLabel } from "#engine/index/page/readers.ts"

/** A label that is the same for equal readers, whichever source they come from; `null` for everybody. */
export const labelOf = (readers: Readers): string | null => readersLabel([{ source: "", ...readers }])
