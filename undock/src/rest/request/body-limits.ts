/** The most names of columns that a body may have. A table has at most 1,600 columns, so more names than this cannot all be
 *  columns. */
export const MAX_COLUMN_NAMES = 1_700

/** The most brackets that may be open at once. Postgres reads JSON recursively, and beyond 10,000 levels its stack is soon too
 *  small. */
export const MAX_JSON_DEPTH = 10_000

/** The longest header line of CSV, in bytes: a column's name has at most 63. */
export const MAX_CSV_HEADER = 256 * 1024

/** JSON made from CSV repeats the names in each row, so it may have this many times the bytes of the longest body. */
export const CSV_GROWTH = 4

/** A form becomes an object with one member for each field: the longest form, in bytes, and the most fields. */
export const FORM_LIMIT = 1024 * 1024
export const MAX_FORM_FIELDS = 2_000
