// S3 bodies with wrong framing, lengths, signatures or trailers: none is stored or causes an internal error.
import { createHash, createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_CREDENTIALS } from '../../src/storage/s3/authenticate.ts'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const EMPTY = createHash('sha256').digest('hex')
const PLAIN = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
const SIGNED_TRAILER = `${PLAIN}-TRAILER`
const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "s3-bodies"\n',
    'migrations/1_start.sql': `insert into storage.buckets (id, name, file_size_limit) values ('docs', 'docs', 100000)`,
  })
  stack = await startStack({ workdir: project.folder, exclude: ['auth', 'realtime', 'functions', 'pg', 'mcp', 'mail'] })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

type Signed = {
  headers: Record<string, string>
  seed: string
  chunk(previous: string, bytes: string): string
  trailer(previous: string, lines: string): string
}

/** Signs a request for an object like a client. */
function sign(path: string, contentHash: string, extra: Record<string, string> = {}, at = new Date()): Signed {
  const date = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const { accessKey, secretKey, region } = LOCAL_CREDENTIALS
  const parts = [date.slice(0, 8), region, 's3', 'aws4_request']
  const key = parts.reduce<string | Buffer>((k, part) => hmac(k, part), `AWS4${secretKey}`)
  const headers: Record<string, string> = {
    host: new URL(stack.url).host,
    'x-amz-content-sha256': contentHash,
    'x-amz-date': date,
    ...extra,
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    'PUT',
    path,
    '',
    `${names.map((name) => `${name}:${headers[name]}`).join('\n')}\n`,
    names.join(';'),
    contentHash,
  ].join('\n')
  const scope = parts.join('/')
  const signText = (kind: string, ...rest: string[]) =>
    hmac(key, [kind, date, scope, ...rest].join('\n')).toString('hex')
  const seed = signText('AWS4-HMAC-SHA256', sha256(canonical))
  return {
    seed,
    headers: {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${seed}`,
    },
    chunk: (previous, bytes) => signText('AWS4-HMAC-SHA256-PAYLOAD', previous, EMPTY, sha256(bytes)),
    trailer: (previous, lines) => signText('AWS4-HMAC-SHA256-TRAILER', previous, sha256(lines)),
  }
}

/** Sends exactly these bytes. @returns status and code, or null if the server closed the connection without a response */
function send(
  path: string,
  { headers }: Signed,
  body: string,
  length = Buffer.byteLength(body),
): Promise<string | null> {
  const { hostname, port } = new URL(stack.url)
  const lines = Object.entries({ ...headers, 'content-length': String(length), connection: 'close' })
  const socket = connect(Number(port), hostname)
  socket.write(`PUT ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
  return new Promise((resolve, reject) => {
    let answer = ''
    socket.on('data', (bytes) => {
      answer += bytes
    })
    // A rejected body isn't read to its end.
    socket.on(
      'error',
      (error: NodeJS.ErrnoException) => error.code !== 'ECONNRESET' && error.code !== 'EPIPE' && reject(error),
    )
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
      resolve(status === undefined ? null : `${status} ${/<Code>(\w+)<\/Code>/.exec(answer)?.[1] ?? ''}`.trim())
    })
  })
}

const isStored = async (name: string) =>
  (await stack.query('select from storage.objects where name = $1', [name])).length > 0

/** The frames of a body signed chunk by chunk. */
function frames(signed: Signed, chunks: string[]): { text: string; last: string } {
  let last = signed.seed
  let text = ''
  for (const bytes of [...chunks, '']) {
    last = signed.chunk(last, bytes)
    text += `${Buffer.byteLength(bytes).toString(16)};chunk-signature=${last}\r\n${bytes}${bytes === '' ? '' : '\r\n'}`
  }
  return { text, last }
}

test('stores a correctly framed and signed body', async () => {
  const path = '/storage/v1/s3/docs/good.txt'
  const signed = sign(path, PLAIN, { 'x-amz-decoded-content-length': '10' })
  expect(await send(path, signed, `${frames(signed, ['hello', 'world']).text}\r\n`)).toBe('200')
  const withTrailer = sign(path, SIGNED_TRAILER, {
    'x-amz-decoded-content-length': '5',
    'x-amz-trailer': 'x-amz-checksum-sha256',
  })
  const { text, last } = frames(withTrailer, ['hello'])
  const checksum = `x-amz-checksum-sha256:${createHash('sha256').update('hello').digest('base64')}`
  const trailer = withTrailer.trailer(last, `${checksum}\n`)
  expect(await send(path, withTrailer, `${text}${checksum}\r\nx-amz-trailer-signature:${trailer}\r\n\r\n`)).toBe('200')
})

const HUGE = 'f'.repeat(12)
const SIZE = { 'x-amz-decoded-content-length': '5' }
const TRAILER = { ...SIZE, 'x-amz-trailer': 'x-amz-checksum-sha256' }

test.each<[string, string, Record<string, string>, (signed: Signed) => string, RegExp]>([
  [
    'a changed chunk',
    PLAIN,
    SIZE,
    (s) => frames(s, ['hello']).text.replace('hello', 'jello'),
    /^403 SignatureDoesNotMatch$/,
  ],
  ['a chunk without a signature', PLAIN, SIZE, () => '5\r\nhello\r\n0\r\n\r\n', /^403 SignatureDoesNotMatch$/],
  [
    'reordered chunks',
    PLAIN,
    { 'x-amz-decoded-content-length': '10' },
    (s) => {
      const [one = '', two = '', end = ''] = frames(s, ['hello', 'world']).text.split(/(?<=hello\r\n|world\r\n)/)
      return `${two}${one}${end}\r\n`
    },
    /^403 SignatureDoesNotMatch$/,
  ],
  ['a missing last chunk', PLAIN, SIZE, (s) => frames(s, ['hello']).text.split(/(?<=hello\r\n)/)[0] ?? '', /^400/],
  [
    'a chunk longer than declared',
    PLAIN,
    SIZE,
    (s) => frames(s, ['hello']).text.replace(/^5/, '4'),
    /^403 SignatureDoesNotMatch$/,
  ],
  ['a chunk of 281 TB', PLAIN, SIZE, (s) => frames(s, ['hello']).text.replace(/^5/, HUGE), /^4\d\d/],
  ['a negative size', PLAIN, SIZE, (s) => frames(s, ['hello']).text.replace(/^5/, '-5'), /^400/],
  ['an endless size', PLAIN, SIZE, () => '0'.repeat(100_000), /^400/],
  [
    'another length than declared',
    PLAIN,
    { 'x-amz-decoded-content-length': '4' },
    (s) => `${frames(s, ['hello']).text}\r\n`,
    /^400/,
  ],
  [
    "a body above the bucket's limit",
    PLAIN,
    { 'x-amz-decoded-content-length': '5' },
    (s) => `${frames(s, ['x'.repeat(200_000)]).text}\r\n`,
    /^4\d\d/,
  ],
  [
    'a trailer with a wrong checksum',
    UNSIGNED_TRAILER,
    TRAILER,
    () => `5\r\nhello\r\n0\r\nx-amz-checksum-sha256:${createHash('sha256').update('x').digest('base64')}\r\n\r\n`,
    /^400/,
  ],
  ['a missing trailer', UNSIGNED_TRAILER, TRAILER, () => '5\r\nhello\r\n0\r\n\r\n', /^400 InvalidRequest$/],
  [
    'a trailer without its signature',
    SIGNED_TRAILER,
    TRAILER,
    (s) =>
      `${frames(s, ['hello']).text}x-amz-checksum-sha256:${createHash('sha256').update('hello').digest('base64')}\r\n\r\n`,
    /^403 SignatureDoesNotMatch$/,
  ],
  ['an endless trailer', UNSIGNED_TRAILER, TRAILER, () => `5\r\nhello\r\n0\r\n${'a:b\r\n'.repeat(50_000)}\r\n`, /^400/],
  ['an unknown algorithm', 'STREAMING-NONSENSE', SIZE, () => 'hello', /^400 InvalidRequest$/],
  ["a body that doesn't match the signed hash", sha256('other'), {}, () => 'hello', /^400/],
])('rejects %s', async (what, contentHash, extra, body, expected) => {
  const name = `${what.replaceAll(/\W/g, '-')}.txt`
  const path = `/storage/v1/s3/docs/${name}`
  const signed = sign(path, contentHash, extra)
  expect(await send(path, signed, body(signed))).toMatch(expected)
  expect(await isStored(name)).toBe(false)
})

test("a request can't be replayed with other headers, to another path or later", async () => {
  const path = '/storage/v1/s3/docs/seen.txt'
  const signed = sign(path, sha256('hello'))
  const replay = (changes: Partial<Signed>, to = path) => send(to, { ...signed, ...changes }, 'hello')
  const withHeaders = (headers: Record<string, string>) => replay({ headers: { ...signed.headers, ...headers } })
  expect(await replay({})).toBe('200')
  expect(await replay({}, '/storage/v1/s3/docs/other.txt')).toBe('403 SignatureDoesNotMatch')
  expect(await replay({}, `${path}?uploadId=x&partNumber=1`)).toBe('403 SignatureDoesNotMatch')
  // Rejected before its signature is checked, like every request with secrets for another host.
  expect(await withHeaders({ host: 'elsewhere.example' })).toBe('403')
  expect(await withHeaders({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })).toBe('403 SignatureDoesNotMatch')
  expect(await withHeaders({ 'x-amz-copy-source': '/docs/good.txt' })).toBe('403 AccessDenied')
  expect(await replay(sign(path, sha256('hello'), {}, new Date(Date.now() - 3_600_000)))).toBe(
    '403 RequestTimeTooSkewed',
  )
})
