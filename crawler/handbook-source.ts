/** Name of the source for the appliance's own handbook; no declared source has it. */
export const HANDBOOK_SOURCE = "handbook"
