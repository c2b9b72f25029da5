/** The import cannot be made; the local database is unchanged. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}
