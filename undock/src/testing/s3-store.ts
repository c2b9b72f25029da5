import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'
import type { FilesOptions } from '../storage/files/open-files.ts'

export type TestStore = {
  readonly files: Extract<FilesOptions, { kind: 's3' }>
  readonly client: S3Client
  /** All keys in it, without the prefix and the marker of their owner. */
  keys(): Promise<string[]>
  close(): Promise<void>
}

/** An S3 store of another make for Storage to keep its files in, empty. `UNDOCK_TEST_S3` names a running one instead, as
 *  `http://KEY:SECRET@host:port/bucket?region=…`. */
export async function startS3Store(): Promise<TestStore> {
  const given = process.env.UNDOCK_TEST_S3
  const server = given ? null : await startFauxqs({ port: 0, logger: false })
  const url = new URL(given ?? `http://key:secret@127.0.0.1:${server?.port}/files`)
  return openS3Store(url, () => server?.stop())
}

/** The bucket that an address names, below a prefix of its own. @param stop Ends the store. */
export async function openS3Store(url: URL, stop: () => unknown): Promise<TestStore> {
  const files = {
    kind: 's3',
    endpoint: url.origin + url.pathname.split('/').slice(0, -1).join('/'),
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket: url.pathname.split('/').at(-1) ?? '',
    prefix: `project-${randomUUID()}`,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    forcePathStyle: true,
  } as const
  const { endpoint, region, bucket: Bucket, prefix } = files
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: files })
  await client.send(new CreateBucketCommand({ Bucket })).catch((error: Error) => {
    if (!/^BucketAlready/.test(error.name)) throw error
  })
  return {
    files,
    client,
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}/` }))
      return Contents.map(({ Key = '' }) => Key.slice(prefix.length + 1)).filter((key) => key !== 'database')
    },
    async close() {
      client.destroy()
      await stop()
    },
  }
}
