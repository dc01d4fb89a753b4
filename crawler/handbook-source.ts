/** Name under which the appliance files its own handbook; no declared source has it. */
export const HANDBOOK_SOURCE = "handbook"
