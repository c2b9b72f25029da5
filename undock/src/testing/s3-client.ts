import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { LOCAL_CREDENTIALS, SESSION_ACCESS_KEY } from '../storage/s3/authenticate.ts'
import type { StorageServer } from './storage-server.ts'

/** The AWS SDK with the stack's own keys. */
export const s3Of = ({ url }: Pick<StorageServer, 'url'>, config: S3ClientConfig = {}): S3Client =>
  new S3Client({
    endpoint: `${url}/storage/v1/s3`,
    region: LOCAL_CREDENTIALS.region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: LOCAL_CREDENTIALS.accessKey, secretAccessKey: LOCAL_CREDENTIALS.secretKey },
    ...config,
  })

/** The AWS SDK as a user: the anon key signs, the user's token says who it is. */
export const s3As = async (harness: StorageServer, user: string): Promise<S3Client> =>
  s3Of(harness, {
    credentials: {
      accessKeyId: SESSION_ACCESS_KEY,
      secretAccessKey: harness.identity.keys.anon,
      sessionToken: await harness.tokenOf(user),
    },
  })

/** What an AWS client was told, as a plain value. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number | undefined; code: string }> {
  try {
    await call
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } }
    return { status: $metadata?.httpStatusCode, code: name }
  }
  return { status: 200, code: 'none' }
}
