import { createHash } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Upload as TusUpload } from 'tus-js-client'

export const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

/** The number of objects per client and bucket. */
const KEYS = 8
/** The size of one chunk of a resumable upload (64 KiB), small enough for kills to interrupt uploads. */
const STEP = 64 * 1024

export const ABSENT = 'absent'
export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

export const s3Of = (url: string) =>
  new S3Client({
    endpoint: `${url}/storage/v1/s3`,
    region: 'local',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: {
      accessKeyId: '625729a08b95bf1b7ff351a663f3a23c',
      secretAccessKey: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
    },
  })

type ObjectName = { readonly bucket: string; readonly key: string }
const nameOf = ({ bucket, key }: ObjectName) => `${bucket}/${key}`

/** Possible contents of each object: one, or several after an operation without a response. */
export class Model {
  readonly #states = new Map<string, ReadonlySet<string>>()

  of(place: ObjectName): ReadonlySet<string> {
    return this.#states.get(nameOf(place)) ?? new Set([ABSENT])
  }

  set(place: ObjectName, states: ReadonlySet<string>): void {
    this.#states.set(nameOf(place), states)
  }

  places(): ObjectName[] {
    return [...this.#states.keys()].map((name) => {
      const separator = name.indexOf('/')
      return { bucket: name.slice(0, separator), key: name.slice(separator + 1) }
    })
  }
}

type ObjectChange = { readonly place: ObjectName; readonly after: ReadonlySet<string> }
type Answer = 'done' | 'refused'

/** A client that uploads in every way, moves, copies and deletes, one operation at a time, until the stack stops. */
export class Worker {
  readonly #client: number
  readonly #model: Model
  readonly #random: () => number
  /** A resumable upload interrupted by a kill. */
  #paused: { place: ObjectName; content: Buffer; url: string } | null = null
  acknowledged = 0
  /** Operations that a running stack rejected without a reason. */
  readonly faults: string[] = []

  constructor(client: number, model: Model, random: () => number) {
    this.#client = client
    this.#model = model
    this.#random = random
  }

  async run(url: string, isAlive: () => boolean): Promise<void> {
    const supabase = createClient(url, SECRET_KEY, { auth: { persistSession: false } })
    const s3 = s3Of(url)
    while (isAlive()) await this.#step({ url, supabase, s3, isAlive })
    s3.destroy()
  }

  async #step(stack: { url: string; supabase: SupabaseClient; s3: S3Client; isAlive: () => boolean }): Promise<void> {
    const { url, supabase, s3, isAlive } = stack
    if (this.#paused) return this.#resume(url, isAlive)
    const [place, other] = [this.#place('docs'), this.#place(this.#random() < 0.5 ? 'docs' : 'other')]
    const files = supabase.storage.from(place.bucket)
    const target = { destinationBucket: other.bucket }
    const content = Buffer.alloc(Math.floor(1000 + this.#random() ** 3 * 600_000), `${this.#client} ${this.#random()}`)
    const uploaded = [{ place, after: new Set([digest(content)]) }]
    const here = this.#model.of(place)
    const isThere = !here.has(ABSENT)
    const isFree = this.#model.of(other).has(ABSENT)
    const kind = this.#random()
    if (kind < 0.35) {
      return this.#attempt(uploaded, isAlive, async () => {
        const { error } = await files.upload(place.key, content, { upsert: true })
        return error ? Promise.reject(error) : 'done'
      })
    }
    if (kind < 0.55) return this.#attempt(uploaded, isAlive, () => this.#sendResumable(url, place, content))
    if (kind < 0.7) return this.#attempt(uploaded, isAlive, () => sendParts(s3, place, content))
    if (kind < 0.9 && nameOf(place) === nameOf(other)) return
    const expected: Answer = isThere && isFree ? 'done' : 'refused'
    if (kind < 0.8) {
      return this.#attempt(expected === 'done' ? [{ place: other, after: here }] : [], isAlive, async () =>
        matching(expected, (await files.copy(place.key, other.key, target)).error),
      )
    }
    if (kind < 0.9) {
      const gone = { place, after: new Set([ABSENT]) }
      return this.#attempt(expected === 'done' ? [gone, { place: other, after: here }] : [], isAlive, async () =>
        matching(expected, (await files.move(place.key, other.key, target)).error),
      )
    }
    return this.#attempt([{ place, after: new Set([ABSENT]) }], isAlive, async () => {
      const { error } = await files.remove([place.key])
      return error ? Promise.reject(error) : 'done'
    })
  }

  /** Records both possible outcomes until the operation responds. */
  async #attempt(
    changes: readonly ObjectChange[],
    isAlive: () => boolean,
    operation: () => Promise<Answer>,
  ): Promise<void> {
    for (const { place, after } of changes) this.#model.set(place, this.#model.of(place).union(after))
    try {
      await operation()
    } catch (error) {
      if (isAlive()) this.faults.push(String(error))
      return
    }
    for (const { place, after } of changes) this.#model.set(place, after)
    this.acknowledged++
  }

  async #sendResumable(url: string, place: ObjectName, content: Buffer, uploadUrl?: string): Promise<Answer> {
    await new Promise<void>((resolve, reject) => {
      const upload = new TusUpload(content, {
        endpoint: `${url}/storage/v1/upload/resumable`,
        ...(uploadUrl !== undefined && { uploadUrl }),
        headers: { authorization: `Bearer ${SECRET_KEY}`, 'x-upsert': 'true' },
        metadata: { bucketName: place.bucket, objectName: place.key, contentType: 'application/octet-stream' },
        chunkSize: STEP,
        retryDelays: null,
        onUploadUrlAvailable: () => {
          if (upload.url) this.#paused = { place, content, url: upload.url }
        },
        onError: reject,
        onSuccess: () => resolve(),
      })
      upload.start()
    })
    this.#paused = null
    return 'done'
  }

  async #resume(url: string, isAlive: () => boolean): Promise<void> {
    if (!this.#paused) return
    const { place, content, url: uploadUrl } = this.#paused
    const change = { place, after: new Set([digest(content)]) }
    await this.#attempt([change], isAlive, () => this.#sendResumable(url, place, content, uploadUrl))
  }

  #place(bucket: string): ObjectName {
    return { bucket, key: `${this.#client}/${Math.floor(this.#random() * KEYS)}.bin` }
  }
}

async function sendParts(s3: S3Client, { bucket, key }: ObjectName, content: Buffer): Promise<Answer> {
  const target = { Bucket: bucket, Key: key }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target))
  const half = content.length >> 1
  const parts = [content.subarray(0, half), content.subarray(half)]
  const sent = await Promise.all(
    parts.map((Body, index) => s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber: index + 1, Body }))),
  )
  const Parts = sent.map(({ ETag }, index) => ({ ETag, PartNumber: index + 1 }))
  await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
  return 'done'
}

/** Invalid operations must be rejected, and valid ones must succeed. */
function matching(expected: Answer, error: Error | null): Promise<Answer> {
  const answered = error === null ? 'done' : 'refused'
  return answered === expected ? Promise.resolve(answered) : Promise.reject(error ?? new Error('was not refused'))
}
