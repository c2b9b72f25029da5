import { call, isObject, type RecordedCall } from './code.ts'

/** The call of supabase-js that makes a request to Storage; null where there is none. The content of an upload is not kept:
 *  the call uploads another one of the same type. */
export function storageCall({ method, path, query, headers, body }: RecordedCall): string | null {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent)
  const [area, ...rest] = segments
  if (area === 'bucket') return bucketCall(method, rest, body)
  if (area !== 'object' || query.size > 0) return null
  const [first = '', bucket = '', ...names] = rest
  const given = isObject(body) ? body : {}
  const name = names.join('/')
  if (method === 'POST' && first === 'list') {
    const { prefix, ...options } = given
    return fileCall(bucket, call('list', prefix, options))
  }
  if (method === 'POST' && first === 'sign' && names.length > 0)
    return fileCall(bucket, call('createSignedUrl', name, given.expiresIn))
  if (method === 'POST' && (first === 'move' || first === 'copy') && rest.length === 1)
    return fileCall(String(given.bucketId), call(first, given.sourceKey, given.destinationKey))
  const isPlain = !['list', 'sign', 'move', 'copy', 'upload', 'info', 'public', 'authenticated'].includes(first)
  const file = [bucket, ...names].join('/')
  if (method === 'GET' && (first === 'authenticated' || first === 'public'))
    return fileCall(bucket, call('download', name))
  if (!isPlain) return null
  if (method === 'GET') return fileCall(first, call('download', file))
  if (method === 'DELETE' && Array.isArray(given.prefixes)) return fileCall(first, call('remove', given.prefixes))
  if (method !== 'POST' && method !== 'PUT') return null
  const type = headers['content-type']?.startsWith('multipart/')
    ? 'text/plain'
    : (headers['content-type'] ?? 'text/plain')
  const options = { contentType: type, upsert: headers['x-upsert'] === 'true' || undefined }
  return fileCall(first, call(method === 'PUT' ? 'update' : 'upload', file, 'content', options))
}

const fileCall = (bucket: string, made: string): string => `client.storage.${call('from', bucket)}.${made}`

function bucketCall(method: string, [id, action]: readonly string[], body: unknown): string | null {
  const {
    id: made,
    name: _,
    file_size_limit: fileSizeLimit,
    allowed_mime_types: allowedMimeTypes,
    ...options
  } = isObject(body) ? body : {}
  const given = {
    ...options,
    fileSizeLimit: fileSizeLimit ?? undefined,
    allowedMimeTypes: allowedMimeTypes ?? undefined,
  }
  if (method === 'GET') return `client.storage.${id === undefined ? 'listBuckets()' : call('getBucket', id)}`
  if (method === 'POST' && id === undefined) return `client.storage.${call('createBucket', made, given)}`
  if (method === 'POST' && action === 'empty') return `client.storage.${call('emptyBucket', id)}`
  if (method === 'PUT') return `client.storage.${call('updateBucket', id, given)}`
  return method === 'DELETE' ? `client.storage.${call('deleteBucket', id)}` : null
}
