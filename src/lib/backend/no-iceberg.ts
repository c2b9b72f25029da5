/** Stands in for the client of Iceberg tables in the build (see vite.config.ts): the app has no analytics buckets. */
export class IcebergRestCatalog {
  constructor() {
    throw new Error('This build has no client for analytics buckets: import iceberg-js itself where one is needed.')
  }
}
