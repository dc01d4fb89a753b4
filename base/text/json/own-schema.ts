/**
 * Ajv options for schemas that are part of the code: they needn't be checked against the meta-schema, which takes 25 ms
 * of CPU time for each Ajv instance. Its `strict` mode still finds unknown keywords.
 */
export const OWN_SCHEMA = { meta: false, validateSchema: false } as const
