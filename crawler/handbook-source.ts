/** Name of the source for the appliance's own handbook, which no declared source may have. */
export const HANDBOOK_SOURCE = "handbook"
