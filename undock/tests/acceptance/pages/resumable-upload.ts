import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

export type Upload = {
  readonly url: string
  readonly token: string
  /** The object's path in the bucket `files`. */
  readonly path: string
  /** Bytes of the file. */
  readonly size: number
  /** Bytes of one part. */
  readonly chunk: number
}

export type UploadResult = {
  readonly uploaded: number
  readonly errors: readonly string[]
  readonly paused: boolean
}

/** Uploads a file with the settings of Supabase's guide. Pauses after the first part arrived, then continues. */
export async function upload({ url, token, path, size, chunk }: Upload): Promise<UploadResult> {
  const uppy = new Uppy().use(Tus, {
    endpoint: `${url}/storage/v1/upload/resumable`,
    headers: { authorization: `Bearer ${token}` },
    uploadDataDuringCreation: true,
    chunkSize: chunk,
    allowedMetaFields: ['bucketName', 'objectName', 'contentType', 'cacheControl'],
    retryDelays: [],
  })
  const data = new Blob([new Uint8Array(size).map((_, index) => index % 251)])
  const meta = { bucketName: 'files', objectName: path, contentType: 'application/x-test', cacheControl: '60' }
  const id = uppy.addFile({ name: 'file.bin', type: 'application/x-test', data, meta })
  let paused = false
  uppy.on('upload-progress', (_, { bytesUploaded }) => {
    if (paused || bytesUploaded < chunk || bytesUploaded >= size) return
    paused = true
    uppy.pauseResume(id)
    uppy.pauseResume(id)
  })
  const result = await uppy.upload()
  return {
    uploaded: result?.successful?.length ?? 0,
    errors: result?.failed?.map(({ error }) => String(error)) ?? [],
    paused,
  }
}
