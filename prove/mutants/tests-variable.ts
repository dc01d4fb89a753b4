/** The environment variable with the patterns of the tests to run, as JSON, for the workers that Stryker starts. */
export const TESTS_VARIABLE = "FOSSICK_MUTANTS_TESTS"
