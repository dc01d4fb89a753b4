/** The field of a result that warns of instructions to language models; empty for all other results. */
export const modelLabel = (addressesModels: boolean | undefined) =>
  addressesModels === true ? { addresses_models: true as const } : {}
