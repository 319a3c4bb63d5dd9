/** The version of the service; test/tidy.test.ts holds it to package.json. */
export const version = '0.1.0'
