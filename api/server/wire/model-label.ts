/** The field of a result that shows orders to language models; nothing for all others. */
export const modelLabel = (addressesModels: boolean | undefined) =>
  addressesModels === true ? { addresses_models: true as const } : {}
