import { z } from 'zod'
import { count, flag, list, named, optionalTable, size, table, text } from './fields.ts'

const MIB = 1024 ** 2

/** Buckets that have a name and nothing else to say. */
const nameOnly = () => z.record(z.string(), z.strictObject({})).default(() => ({}))

export const StorageSection = table({
  enabled: flag(true),
  file_size_limit: size(50 * MIB),
  image_transformation: optionalTable({ enabled: flag(false) }),
  s3_protocol: table({ enabled: flag(true) }),
  buckets: named({
    public: flag(false),
    /** Zero, or left out, becomes the limit of the whole storage. */
    file_size_limit: size(0),
    allowed_mime_types: list(),
    /** A folder whose files are uploaded to the bucket; absolute once loaded. */
    objects_path: text(),
  }),
  analytics: table({
    enabled: flag(false),
    max_namespaces: count(5),
    max_tables: count(10),
    max_catalogs: count(2),
    buckets: nameOnly(),
  }),
  vector: table({ enabled: flag(false), max_buckets: count(10), max_indexes: count(5), buckets: nameOnly() }),
})
