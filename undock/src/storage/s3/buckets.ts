import { createBucket as create, deleteBucket as drop, getBucket, listBuckets as list } from '../buckets/buckets.ts'
import { type S3Call, xml } from './call.ts'

export async function listBuckets({ caller, deps }: S3Call): Promise<Response> {
  const buckets = await list({}, caller, deps)
  return xml('ListAllMyBucketsResult', {
    Buckets: { Bucket: buckets.map(({ name, created_at }) => ({ Name: name, CreationDate: created_at })) },
  })
}

export async function createBucket({ request, bucket, caller, deps }: S3Call): Promise<Response> {
  const isPublic = request.headers.get('x-amz-acl') === 'public-read'
  await create({ name: bucket, id: bucket, public: isPublic }, caller, deps)
  return new Response(null, { headers: { location: `/${encodeURIComponent(bucket)}` } })
}

export async function deleteBucket({ bucket, caller, deps }: S3Call): Promise<Response> {
  await drop(bucket, caller, deps)
  return new Response(null, { status: 204 })
}

export async function headBucket({ bucket, caller, deps }: S3Call): Promise<Response> {
  await getBucket(bucket, caller, deps)
  return new Response(null, { headers: { 'x-amz-bucket-region': deps.credentials.region } })
}

export async function getBucketLocation({ bucket, caller, deps }: S3Call): Promise<Response> {
  await getBucket(bucket, caller, deps)
  return xml('LocationConstraint', deps.credentials.region)
}

export async function getBucketVersioning({ bucket, caller, deps }: S3Call): Promise<Response> {
  await getBucket(bucket, caller, deps)
  return xml('VersioningConfiguration', { Status: 'Suspended', MfaDelete: 'Disabled' })
}
