/** Column names in a body: a table has at most 1,600 columns. */
export const MAX_COLUMN_NAMES = 1_700

/** Open brackets in a body: Postgres parses JSON recursively and runs out of stack beyond about 10,000 levels. */
export const MAX_JSON_DEPTH = 10_000

/** Bytes of a CSV header line: a column's name has at most 63. */
export const MAX_CSV_HEADER = 256 * 1024

/** JSON made from CSV repeats the names in each row, so it may be this many times larger than the body limit. */
export const CSV_GROWTH = 4

/** Bytes and fields of a form, which becomes an object with a member per field. */
export const FORM_LIMIT = 1024 * 1024
export const MAX_FORM_FIELDS = 2_000
