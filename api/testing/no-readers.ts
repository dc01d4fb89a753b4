/** An appliance whose pages everybody may read. */
export const NO_READERS = async () => ({ sources: new Map(), rules: new Map() })
