import { z } from 'zod'

// Names, bounds and defaults of storage-api's src/http/routes/vector; numbers as text are refused.

const MAX_DIMENSION = 4096

const indexName = z
  .string()
  .min(3)
  .max(45)
  .regex(/^[a-z0-9](?:[a-z0-9.-]{1,61})?[a-z0-9]$/, 'must match pattern "^[a-z0-9](?:[a-z0-9.-]{1,61})?[a-z0-9]$"')
const vectorBucketName = z.string()
const key = z.string().min(1).max(1024)
const float32 = z.object({ float32: z.array(z.number()).min(1) })

export const BucketBody = z.object({ vectorBucketName })

const Page = z.object({
  maxResults: z.number().min(1).max(500).default(500),
  nextToken: z.string().optional(),
  prefix: z.string().optional(),
})
export const ListBucketsBody = Page
export const ListIndexesBody = Page.extend({ vectorBucketName })

export const IndexBody = z.object({ vectorBucketName, indexName })

export const CreateIndexBody = IndexBody.extend({
  dataType: z.enum(['float32']),
  dimension: z.int().min(1).max(MAX_DIMENSION),
  distanceMetric: z.enum(['cosine', 'euclidean', 'dotproduct']),
  metadataConfiguration: z
    .object({
      nonFilterableMetadataKeys: z
        .array(z.string().min(1).max(63))
        .min(1)
        .max(10)
        .refine((keys) => new Set(keys).size === keys.length, 'must NOT have duplicate items'),
    })
    .optional(),
})
export type DistanceMetric = z.infer<typeof CreateIndexBody>['distanceMetric']

/** Nesting depth; filters only look at top-level keys. */
const MAX_METADATA_DEPTH = 10

const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1)))

/** Objects as values are kept, as the client's types allow; upstream's schema refuses them. */
export const Metadata = z
  .record(z.string(), z.unknown())
  .refine((metadata) => isShallow(metadata, MAX_METADATA_DEPTH), 'must NOT nest deeper than 10 levels')
export type Metadata = z.infer<typeof Metadata>

export const PutVectorsBody = IndexBody.extend({
  vectors: z
    .array(z.object({ key, data: float32, metadata: Metadata.optional() }))
    .min(1)
    .max(500),
})
export type NewVector = z.infer<typeof PutVectorsBody>['vectors'][number]

const Wanted = { returnData: z.boolean().default(false), returnMetadata: z.boolean().default(false) }

export const GetVectorsBody = IndexBody.extend({ keys: z.array(key).min(1).max(100), ...Wanted })

export const DeleteVectorsBody = IndexBody.extend({ keys: z.array(key).min(1).max(500) })

export const ListVectorsBody = IndexBody.extend({
  maxResults: z.int().min(1).max(1000).default(500),
  nextToken: z.string().optional(),
  segmentCount: z.int().min(1).max(16).optional(),
  segmentIndex: z.int().min(0).max(15).optional(),
  ...Wanted,
})

export const QueryVectorsBody = z.strictObject({
  vectorBucketName,
  indexName,
  indexArn: z.string().optional(),
  queryVector: z.strictObject({ float32: z.array(z.number()).min(1) }),
  topK: z.int().min(1).max(100),
  filter: z.unknown().optional(),
  returnDistance: z.boolean().default(false),
  returnMetadata: z.boolean().default(false),
})
