import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { s3Of } from '../../testing/s3-client.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name, public) values ('open', 'open', true)`,
  })
})
afterAll(() => harness.close())

const uploaded = (contentType: string, cacheControl: string): Promise<void> =>
  new Promise((resolve, reject) => {
    new Upload(Buffer.from('x'), {
      endpoint: `${harness.url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${harness.identity.keys.serviceRole}`, 'x-upsert': 'true' },
      retryDelays: null,
      metadata: { bucketName: 'open', objectName: 'file', contentType, cacheControl },
      onSuccess: () => resolve(),
      onError: reject,
    }).start()
  })

/** Writes like the project's own SQL could. */
const written = (metadata: object) =>
  harness.db.query({
    text: `update storage.objects set metadata = metadata || $1::jsonb where name = 'file'`,
    values: [JSON.stringify(metadata)],
  })

test.each(['text/\u0444', 'text/\u0001html', 'text/html\r\nset-cookie: a=b', '\u00e9/x'])(
  'rejects a type not valid in a header (%j), and serves one written by SQL as bytes',
  async (type) => {
    await expect(uploaded(type, '3600')).rejects.toThrow(/400.*contentType cannot be the value of a header/s)
    await uploaded('text/plain', '3600')
    await written({ mimetype: type })
    const response = await fetch(`${harness.url}/storage/v1/object/public/open/file`)
    expect([response.status, await response.text()]).toEqual([200, 'x'])
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('set-cookie')).toBeNull()
    const head = await s3Of(harness).send(new HeadObjectCommand({ Bucket: 'open', Key: 'file' }))
    expect(head.ContentType).toBe('application/octet-stream')
  },
)

test("leaves out other stored values that aren't valid in a header", async () => {
  await uploaded('text/plain', '3600')
  await written({ cacheControl: 'max-age=1\r\nx: y', eTag: '"\u0444"', xRobotsTag: 'none\u0001' })
  const response = await fetch(`${harness.url}/storage/v1/object/public/open/file`)
  expect([response.status, await response.text()]).toEqual([200, 'x'])
  expect(['x', 'cache-control', 'etag', 'x-robots-tag'].map((name) => response.headers.get(name))).toEqual([
    null,
    null,
    null,
    'none',
  ])
  expect((await harness.service.storage.from('open').download('file')).error).toBeNull()
  await s3Of(harness).send(new HeadObjectCommand({ Bucket: 'open', Key: 'file' }))
})
