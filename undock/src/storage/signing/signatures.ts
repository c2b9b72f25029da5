import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../kernel/service.ts'
import { storageError } from '../errors.ts'

/** Signed URLs carry an HS256 token with the project's legacy secret, like storage-api's: `url` is its bucket and key,
 *  `scope` keeps a read link from becoming a write link. */
const DownloadToken = z.object({
  url: z.string(),
  scope: z.literal('download'),
  exp: z.number(),
  transformations: z.string().optional(),
  format: z.string().optional(),
})
const UploadToken = z.object({
  url: z.string(),
  scope: z.literal('upload'),
  exp: z.number(),
  owner: z.string().nullish(),
  upsert: z.boolean(),
})
export type DownloadToken = z.infer<typeof DownloadToken>
export type UploadToken = z.infer<typeof UploadToken>

/** Seconds; two hours, as on hosted projects. */
const UPLOAD_URL_LIFETIME = 7200

export class UrlSigner {
  readonly #secret: Uint8Array
  readonly #clock: Clock

  constructor(secret: string, clock: Clock) {
    this.#secret = new TextEncoder().encode(secret)
    this.#clock = clock
  }

  /** @param lifetime Seconds from now, at least 1. */
  signDownload(
    url: string,
    lifetime: number,
    transform?: { transformations: string; format: string },
  ): Promise<string> {
    return this.#sign(
      {
        ...(transform?.transformations && { transformations: transform.transformations }),
        ...(transform?.format && { format: transform.format }),
        url,
        scope: 'download',
      },
      lifetime,
    )
  }

  signUpload(
    url: string,
    { owner, upsert }: { readonly owner: string | null; readonly upsert: boolean },
  ): Promise<string> {
    return this.#sign({ ...(owner !== null && { owner }), url, upsert, scope: 'upload' }, UPLOAD_URL_LIFETIME)
  }

  async verifyDownload(token: string, url: string): Promise<DownloadToken> {
    const parsed = DownloadToken.safeParse(await this.#verify(token))
    if (!parsed.success) throw storageError('InvalidSignature', { message: 'Token is not scoped for download' })
    return bound(parsed.data, url)
  }

  async verifyUpload(token: string, url: string): Promise<UploadToken> {
    const parsed = UploadToken.safeParse(await this.#verify(token))
    if (!parsed.success) throw storageError('InvalidSignature', { message: 'Token is not scoped for upload' })
    return bound(parsed.data, url)
  }

  #sign(payload: Record<string, unknown>, lifetime: number): Promise<string> {
    const now = Math.floor(this.#clock.now().getTime() / 1000)
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(now)
      .setExpirationTime(now + lifetime)
      .sign(this.#secret)
  }

  async #verify(token: string): Promise<unknown> {
    try {
      const options = { algorithms: ['HS256'], currentDate: this.#clock.now() }
      return (await jwtVerify(token, this.#secret, options)).payload
    } catch (error) {
      if (error instanceof errors.JOSEError) throw storageError('InvalidJWT', { message: error.message, cause: error })
      throw error
    }
  }
}

function bound<Token extends { url: string }>(token: Token, url: string): Token {
  if (token.url !== url) throw storageError('InvalidSignature')
  return token
}
