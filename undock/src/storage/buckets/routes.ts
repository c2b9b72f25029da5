import { json, type Route, route } from '../http/router.ts'
import { parse, readJson } from '../http/validation.ts'
import { refuseLifecycle } from '../objects/versioning.ts'
import {
  BucketQuery,
  bucketBody,
  CreateBucketBody,
  createBucket,
  deleteBucket,
  emptyBucket,
  getBucket,
  listBuckets,
  listedBucketBody,
  UpdateBucketBody,
  updateBucket,
} from './buckets.ts'

export const bucketRoutes: readonly Route[] = [
  route('POST', '/bucket', 'key', 'storage.bucket.create', async ({ request, caller, deps }) =>
    json(await createBucket(await readJson(request, CreateBucketBody), caller, deps)),
  ),
  route('GET|HEAD', '/bucket', 'key', 'storage.bucket.list', async ({ query, caller, deps }) => {
    const page = parse(BucketQuery, Object.fromEntries(query), 'querystring')
    return json((await listBuckets(page, caller, deps)).map(listedBucketBody))
  }),
  route('POST', '/bucket/{bucket}/empty', 'service', 'storage.bucket.empty', async ({ bucket, caller, deps }) => {
    await emptyBucket(bucket, caller, deps)
    return json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' })
  }),
  route('GET|HEAD', '/bucket/{bucket}', 'key', 'storage.bucket.get', async ({ bucket, caller, deps }) =>
    json(bucketBody(await getBucket(bucket, caller, deps))),
  ),
  route('PUT', '/bucket/{bucket}', 'key', 'storage.bucket.update', async ({ request, bucket, caller, deps }) => {
    await updateBucket(bucket, await readJson(request, UpdateBucketBody), caller, deps)
    return json({ message: 'Successfully updated' })
  }),
  route('DELETE', '/bucket/{bucket}', 'key', 'storage.bucket.delete', async ({ bucket, caller, deps }) => {
    await deleteBucket(bucket, caller, deps)
    return json({ message: 'Successfully deleted' })
  }),
  route('GET|HEAD|PUT|DELETE', '/bucket/{bucket}/lifecycle', 'key', 'storage.bucket.lifecycle', refuseLifecycle),
]
