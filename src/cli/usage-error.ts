/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}
