/** The readers of an appliance whose pages anyone may read. */
export const NO_READERS = async () => ({ sources: new Map(), rules: new Map() })
