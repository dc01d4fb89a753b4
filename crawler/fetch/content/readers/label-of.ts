import { type Readers, readersLabel } from "#engine/index/page/readers.ts"

/** Names readers whoever knows them; null: everybody. */
export const labelOf = (readers: Readers): string | null => readersLabel([{ source: "", ...readers }])
