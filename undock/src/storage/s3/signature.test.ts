import { createHash, createHmac } from 'node:crypto'
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusalOf, s3As, s3Of } from '../../testing/s3-client.ts'
import { ALICE, BOB, type StorageServer, startStorageServer } from '../../testing/storage-server.ts'
import { LOCAL_CREDENTIALS, SESSION_ACCESS_KEY } from './authenticate.ts'

// biome-ignore lint/suspicious/noTemplateCurlyInString: the word by which S3's forms name the file's own name
const NAMED_BY_FILE = 'folder/${filename}'

let harness: StorageServer
let s3: S3Client
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name, file_size_limit) values ('docs', 'docs', 10000), ('other', 'other', null);
      create policy own on storage.objects for all to authenticated
        using (bucket_id = 'docs' and (storage.foldername(name))[1] = auth.uid()::text)
        with check (bucket_id = 'docs' and (storage.foldername(name))[1] = auth.uid()::text)`,
  })
  s3 = s3Of(harness)
  await s3.send(new PutObjectCommand({ Bucket: 'docs', Key: 'a.txt', Body: 'content', ContentType: 'text/plain' }))
})
afterAll(async () => {
  s3.destroy()
  await harness.close()
})

const codeOf = async (response: Response) => /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]

describe('credentials', () => {
  const listWith = (
    credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string },
    region = 'local',
  ) => refusalOf(s3Of(harness, { credentials, region }).send(new ListObjectsV2Command({ Bucket: 'docs' })))
  const { accessKey: accessKeyId, secretKey: secretAccessKey } = LOCAL_CREDENTIALS

  test('rejects a wrong secret, key, region or token', async () => {
    const secret = harness.identity.keys.anon
    expect(await listWith({ accessKeyId, secretAccessKey })).toEqual({ status: 200, code: 'none' })
    expect(await listWith({ accessKeyId, secretAccessKey }, 'us-east-1')).toEqual({ status: 200, code: 'none' })
    expect(await listWith({ accessKeyId, secretAccessKey: 'x' })).toEqual({
      status: 403,
      code: 'SignatureDoesNotMatch',
    })
    expect(await listWith({ accessKeyId: 'x', secretAccessKey })).toEqual({ status: 403, code: 'AccessDenied' })
    expect(await listWith({ accessKeyId, secretAccessKey }, 'mars')).toMatchObject({ status: 403 })
    expect(
      await listWith({ accessKeyId: SESSION_ACCESS_KEY, secretAccessKey: secret, sessionToken: 'no.token.here' }),
    ).toEqual({ status: 400, code: 'InvalidJWT' })
    expect(
      await listWith({ accessKeyId: SESSION_ACCESS_KEY, secretAccessKey, sessionToken: await harness.tokenOf(ALICE) }),
    ).toEqual({ status: 403, code: 'SignatureDoesNotMatch' })
  })

  test('a request without a signature gets an S3 error', async () => {
    const response = await harness.fetch('/s3/docs/a.txt', {}, harness.identity.keys.serviceRole)
    expect([response.status, response.headers.get('content-type')]).toEqual([403, 'application/xml; charset=utf-8'])
    expect(await response.text()).toBe(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Error><Resource>docs/a.txt</Resource>' +
        '<Code>AccessDenied</Code><Message>Missing signature</Message></Error>',
    )
  })

  test.each([
    ['AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=x'],
    ['AWS4-HMAC-SHA256 nonsense'],
    ['AWS4-HMAC-SHA256 Credential=a/b/c/d/e/f, SignedHeaders=host, Signature=x'],
  ])('broken: %s', async (authorization) => {
    const response = await fetch(`${harness.url}/storage/v1/s3/docs`, {
      headers: { authorization, 'x-amz-date': '20260101T000000Z' },
    })
    expect([response.status, await codeOf(response)]).toEqual([400, 'InvalidSignature'])
  })
})

/** Signs like s3cmd, which counts the endpoint's path as part of the host. */
function signAsS3cmd(path: string, host: string): Record<string, string> {
  const { accessKey, secretKey, region } = LOCAL_CREDENTIALS
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = [date.slice(0, 8), region, 's3', 'aws4_request']
  const hash = createHash('sha256').digest('hex')
  const headers = `host:${host}\nx-amz-content-sha256:${hash}\nx-amz-date:${date}\n`
  const signedHeaders = 'host;x-amz-content-sha256;x-amz-date'
  const canonical = createHash('sha256')
    .update(['GET', path, '', headers, signedHeaders, hash].join('\n'))
    .digest('hex')
  const key = scope.reduce<string | Buffer>(
    (k, part) => createHmac('sha256', k).update(part).digest(),
    `AWS4${secretKey}`,
  )
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), canonical].join('\n')
  const signature = createHmac('sha256', key).update(text).digest('hex')
  return {
    'x-amz-date': date,
    'x-amz-content-sha256': hash,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope.join('/')},SignedHeaders=${signedHeaders},Signature=${signature}`,
  }
}

describe('a URL signed by s3cmd', () => {
  const get = (path: string, headers: Record<string, string>) =>
    fetch(`${harness.url}/storage/v1/s3${path}`, { headers })

  test('is valid only for the requested path and host', async () => {
    const { host } = new URL(harness.url)
    const endpoint = `${host}/storage/v1/s3`
    const read = await get('/docs/a.txt', signAsS3cmd('/docs/a.txt', endpoint))
    expect([read.status, await read.text()]).toEqual([200, 'content'])
    for (const headers of [
      signAsS3cmd('/docs/b.txt', endpoint),
      signAsS3cmd('/docs/a.txt', host),
      signAsS3cmd('/storage/v1/s3/docs/a.txt', endpoint),
      signAsS3cmd('/docs/a.txt', 'elsewhere.example/storage/v1/s3'),
    ])
      expect(await codeOf(await get('/docs/a.txt', headers))).toBe('SignatureDoesNotMatch')
  })
})

describe('a session token', () => {
  test('makes the client act as the token’s user, under policies and as owner of its uploads', async () => {
    const alice = await s3As(harness, ALICE)
    const put = (client: S3Client, Key: string) =>
      refusalOf(client.send(new PutObjectCommand({ Bucket: 'docs', Key, Body: 'mine' })))
    expect(await put(alice, `${ALICE}/a.txt`)).toEqual({ status: 200, code: 'none' })
    expect(await put(alice, `${BOB}/a.txt`)).toEqual({ status: 403, code: 'AccessDenied' })
    const bob = await s3As(harness, BOB)
    const key = { Bucket: 'docs', Key: `${ALICE}/a.txt` }
    expect(await refusalOf(bob.send(new GetObjectCommand(key)))).toEqual({ status: 404, code: 'NoSuchKey' })
    expect(await refusalOf(bob.send(new DeleteObjectCommand(key)))).toEqual({ status: 403, code: 'AccessDenied' })
    expect((await bob.send(new ListObjectsV2Command({ Bucket: 'docs' }))).KeyCount).toBe(0)
    expect((await alice.send(new ListObjectsV2Command({ Bucket: 'docs' }))).KeyCount).toBe(1)
    const { data } = await harness.service.storage.from('docs').info(`${ALICE}/a.txt`)
    expect(data?.size).toBe(4)
  })

  test('works for every step of a multipart upload', async () => {
    const alice = await s3As(harness, ALICE)
    const bob = await s3As(harness, BOB)
    const key = { Bucket: 'docs', Key: `${ALICE}/parts` }
    expect(await refusalOf(bob.send(new CreateMultipartUploadCommand(key)))).toMatchObject({ status: 403 })
    const { UploadId } = await alice.send(new CreateMultipartUploadCommand(key))
    const part = (client: S3Client, Key: string) =>
      refusalOf(client.send(new UploadPartCommand({ Bucket: 'docs', Key, UploadId, PartNumber: 1, Body: 'x' })))
    expect(await part(bob, key.Key)).toMatchObject({ status: 403 })
    // An upload must not be continued under another key.
    expect(await part(bob, `${BOB}/parts`)).toMatchObject({ status: 404 })
    expect(await part(alice, key.Key)).toMatchObject({ status: 200 })
    // As upstream: without a policy on the uploads' table only the service sees them.
    expect((await alice.send(new ListMultipartUploadsCommand({ Bucket: 'docs' }))).Uploads ?? []).toEqual([])
  })
})

describe('presigned URLs', () => {
  test('read and write without additional headers', async () => {
    const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'docs', Key: 'signed put.txt' }), {
      expiresIn: 60,
    })
    expect((await fetch(put, { method: 'PUT', body: 'put' })).status).toBe(200)
    const get = await getSignedUrl(
      s3,
      new GetObjectCommand({ Bucket: 'docs', Key: 'signed put.txt', ResponseContentType: 'text/csv' }),
      { expiresIn: 60 },
    )
    const response = await fetch(get, { headers: { authorization: 'Bearer nonsense' } })
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/csv', 'put'])
    const head = await getSignedUrl(s3, new HeadObjectCommand({ Bucket: 'docs', Key: 'a.txt' }), { expiresIn: 60 })
    expect((await fetch(head, { method: 'HEAD' })).headers.get('content-length')).toBe('7')
  })

  test('are valid only for their key, method and time', async () => {
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'docs', Key: 'a.txt' }), { expiresIn: 60 })
    expect((await fetch(url.replace('a.txt', 'b.txt'))).status).toBe(403)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
    expect((await fetch(`${url}&response-content-type=text/html`)).status).toBe(403)
    const signingDate = new Date(Date.now() - 120_000)
    const old = await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'docs', Key: 'a.txt' }), {
      expiresIn: 60,
      signingDate,
    })
    const response = await fetch(old)
    expect([response.status, await codeOf(response)]).toEqual([400, 'ExpiredToken'])
  })
})

describe('a presigned upload URL', () => {
  test("can't copy another object with the signer's permissions", async () => {
    await s3.send(new PutObjectCommand({ Bucket: 'other', Key: 'secret.txt', Body: 'secret' }))
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'docs', Key: 'mine.txt' }), { expiresIn: 60 })
    const copy = await fetch(url, { method: 'PUT', headers: { 'x-amz-copy-source': '/other/secret.txt' } })
    expect([copy.status, await codeOf(copy)]).toEqual([403, 'AccessDenied'])
    expect(await refusalOf(s3.send(new HeadObjectCommand({ Bucket: 'docs', Key: 'mine.txt' })))).toMatchObject({
      status: 404,
    })
    const signed = new CopyObjectCommand({ Bucket: 'docs', Key: 'copy.txt', CopySource: 'other/secret.txt' })
    expect(await refusalOf(s3.send(signed))).toMatchObject({ status: 200 })
    await s3.send(new DeleteObjectCommand({ Bucket: 'docs', Key: 'copy.txt' }))
  })
})

describe('the time of a signature', () => {
  const MINUTE = 60_000
  const key = { Bucket: 'docs', Key: 'a.txt' }

  test.each([
    ['a year ago', -365 * 24 * 60 * MINUTE, 'RequestTimeTooSkewed'],
    ['16 minutes ago', -16 * MINUTE, 'RequestTimeTooSkewed'],
    ['14 minutes ago', -14 * MINUTE, 'none'],
    ['in 14 minutes', 14 * MINUTE, 'none'],
    ['in a year', 365 * 24 * 60 * MINUTE, 'RequestTimeTooSkewed'],
  ])('%s', async (_when, systemClockOffset, code) => {
    const client = s3Of(harness, { systemClockOffset, maxAttempts: 1 })
    expect(await refusalOf(client.send(new GetObjectCommand(key)))).toMatchObject({ code })
    client.destroy()
  })

  const presigned = async (expiresIn: number, ago = 0, change = (url: string) => url) => {
    const signingDate = new Date(Date.now() - ago)
    const response = await fetch(change(await getSignedUrl(s3, new GetObjectCommand(key), { expiresIn, signingDate })))
    return [response.status, response.ok ? undefined : await codeOf(response)]
  }
  const WEEK = 7 * 24 * 60 * 60

  test('a presigned URL is valid for at most a week, and not before its time', async () => {
    expect(await presigned(WEEK)).toEqual([200, undefined])
    expect(await presigned(WEEK, 6 * 24 * 60 * MINUTE)).toEqual([200, undefined])
    expect(await presigned(60, -MINUTE)).toEqual([200, undefined])
    expect(await presigned(60, -24 * 60 * MINUTE)).toEqual([403, 'AccessDenied'])
    expect(await presigned(WEEK, 8 * 24 * 60 * MINUTE)).toEqual([400, 'ExpiredToken'])
    for (const expires of ['1000000000', String(WEEK + 1)]) {
      const longer = (url: string) => url.replace(/X-Amz-Expires=\d+/, `X-Amz-Expires=${expires}`)
      expect(await presigned(60, 0, longer)).toEqual([400, 'AuthorizationQueryParametersError'])
    }
    const without = (url: string) => url.replace(/&X-Amz-Expires=\d+/, '')
    expect(await presigned(60, 0, without)).toEqual([400, 'AuthorizationQueryParametersError'])
  })
})

describe("a browser's form upload", () => {
  const signed = (Key: string, Conditions: object[] = [], Expires = 60) =>
    createPresignedPost(s3, {
      Bucket: 'docs',
      Key,
      Expires,
      Fields: { 'Content-Type': 'text/plain' },
      Conditions: Conditions as [],
    })
  const post = async (
    { url, fields }: { url: string; fields: Record<string, string> },
    extra: Record<string, string> = {},
    body = 'form',
  ) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...fields, ...extra })) form.set(name, value)
    form.set('file', new Blob([body]), 'name.txt')
    return fetch(url, { method: 'POST', body: form })
  }

  test('is stored under its key, with its type and metadata', async () => {
    const response = await post(await signed('form.txt', [{ 'x-amz-meta-a': '1' }]), { 'x-amz-meta-a': '1' })
    expect([response.status, response.headers.get('etag')]).toEqual([
      200,
      `"${createHash('md5').update('form').digest('hex')}"`,
    ])
    const found = await s3.send(new GetObjectCommand({ Bucket: 'docs', Key: 'form.txt' }))
    expect(found).toMatchObject({ ContentType: 'text/plain', Metadata: { a: '1' } })
    expect(await found.Body?.transformToString()).toBe('form')
    await post(await signed(NAMED_BY_FILE))
    expect((await harness.service.storage.from('docs').info('folder/name.txt')).error).toBeNull()
  })

  test('must match its policy', async () => {
    const status = async (...args: Parameters<typeof post>) => (await post(...args)).status
    expect(await status(await signed(NAMED_BY_FILE), { key: 'elsewhere/x' })).toBe(403)
    expect(await status(await signed('form.txt'), { 'x-amz-meta-b': 'not named' })).toBe(403)
    expect(await status(await signed('form.txt'), { 'x-ignore-b': 'not named' })).toBe(200)
    expect(await status(await signed('form.txt', [], -10))).toBe(400)
    expect(await status(await signed('form.txt', [['content-length-range', 10, 20]]), {}, 'short')).toBe(400)
    expect(await status(await signed('form.txt', [['content-length-range', 1, 3]]), {}, 'long')).toBe(413)
    expect(await status(await signed('form.txt'), {}, 'x'.repeat(10_001))).toBe(413)
    const { url, fields } = await signed('form.txt')
    expect(await status({ url: url.replace('/docs', '/other'), fields })).toBe(403)
    expect(await status({ url, fields: { ...fields, Policy: Buffer.from('{}').toString('base64') } })).toBe(403)
  })
})

describe('signed chunks', () => {
  const EMPTY = createHash('sha256').digest('hex')
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const date = new Date().toISOString().replace(/[:-]|\.\d{3}/g, '')
  const scope = `${date.slice(0, 8)}/local/s3/aws4_request`
  const key = scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${LOCAL_CREDENTIALS.secretKey}`))
  const sign = (...lines: string[]) => hmac(key, lines.join('\n')).toString('hex')

  async function send(
    chunks: string[],
    { trailer, tamper = (body) => body }: { trailer?: string; tamper?: (body: string) => string } = {},
  ) {
    const path = '/storage/v1/s3/docs/chunked'
    const contentHash = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer === undefined ? '' : '-TRAILER'}`
    const host = new URL(harness.url).host
    const headers: Record<string, string> = {
      host,
      'x-amz-content-sha256': contentHash,
      'x-amz-date': date,
      'x-amz-decoded-content-length': String(chunks.join('').length),
      ...(trailer !== undefined && { 'x-amz-trailer': 'x-amz-checksum-sha256' }),
    }
    const names = Object.keys(headers).toSorted()
    const canonical = [
      'PUT',
      path,
      '',
      ...names.map((name) => `${name}:${headers[name]}`),
      '',
      names.join(';'),
      contentHash,
    ]
    let previous = sign('AWS4-HMAC-SHA256', date, scope, hash(canonical.join('\n')))
    headers.authorization = `AWS4-HMAC-SHA256 Credential=${LOCAL_CREDENTIALS.accessKey}/${scope},SignedHeaders=${names.join(';')},Signature=${previous}`
    let body = ''
    for (const chunk of [...chunks, '']) {
      previous = sign('AWS4-HMAC-SHA256-PAYLOAD', date, scope, previous, EMPTY, hash(chunk))
      body += `${chunk.length.toString(16)};chunk-signature=${previous}\r\n${chunk}${chunk === '' ? '' : '\r\n'}`
    }
    if (trailer) {
      const line = `x-amz-checksum-sha256:${trailer}\n`
      body += `${line.trim()}\r\nx-amz-trailer-signature:${sign('AWS4-HMAC-SHA256-TRAILER', date, scope, previous, hash(line))}\r\n`
    }
    const response = await fetch(`${harness.url}${path}`, { method: 'PUT', headers, body: tamper(`${body}\r\n`) })
    return [response.status, await codeOf(response)]
  }
  const otherDigit = (digit: string) => (digit === '0' ? '1' : '0')
  const base64 = (text: string) => createHash('sha256').update(text).digest('base64')

  test('are joined, with and without a trailer', async () => {
    expect(await send(['hello ', 'world'])).toEqual([200, undefined])
    expect(await send(['hello ', 'world'], { trailer: base64('hello world') })).toEqual([200, undefined])
    expect(await send([])).toEqual([200, undefined])
  })

  test('with an invalid signature leave the object unchanged', async () => {
    await send(['as it was'])
    const cases: [string[], Parameters<typeof send>[1]][] = [
      [['hello'], { tamper: (body) => body.replace('hello', 'hullo') }],
      [['hello'], { tamper: (body) => body.replace(/(?<=chunk-signature=)./, otherDigit) }],
      [['hello'], { tamper: (body) => body.slice(0, 60) }],
      [['hello'], { tamper: (body) => body.replace(/^5/, 'zz') }],
      [['hello'], { tamper: (body) => body.replace(/^5/, 'ffffffffffff') }],
      [['hello'], { tamper: (body) => body.replaceAll(/;chunk-signature=\w+/g, '') }],
      [['hello'], { trailer: base64('other') }],
      [['hello'], { trailer: '' }],
      [['hello'], { trailer: base64('hello'), tamper: (body) => body.replace(/(?<=trailer-signature:)./, otherDigit) }],
    ]
    for (const [chunks, options] of cases) {
      const [status] = await send(chunks, options)
      expect([400, 403]).toContain(status)
    }
    const found = await s3.send(new GetObjectCommand({ Bucket: 'docs', Key: 'chunked' }))
    expect(await found.Body?.transformToString()).toBe('as it was')
  })
})

test("rejects a body that doesn't match its hash", async () => {
  const tampering = s3Of(harness)
  tampering.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as object, { body: Buffer.from('other!!') })
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  const put = tampering.send(new PutObjectCommand({ Bucket: 'docs', Key: 'tampered', Body: 'content' }))
  expect(await refusalOf(put)).toEqual({ status: 400, code: 'InvalidChecksum' })
  expect((await harness.service.storage.from('docs').exists('tampered')).data).toBe(false)
})
