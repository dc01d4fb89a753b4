/**
 * Options of Ajv for schemas that are part of the code: they needn't be checked against the schema of schemas, which takes 25 ms of the
 * processor for each instance of Ajv. Its `strict` mode still finds unknown keywords.
 */
export const OWN_SCHEMA = { meta: false, validateSchema: false } as const
