/** Enforced by the database as well (versions.body), in bytes. */
export const LONGEST_NOTE = 1_048_576
