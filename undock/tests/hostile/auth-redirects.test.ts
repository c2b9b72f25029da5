// Redirect URLs that URL parsers read differently. An allowed URL must lead to an allowed host for browsers, Node's legacy parser
// and the grammar of RFC 3986.
import { parse as parseAsNode } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedirectRules } from '../../src/auth/guards/redirect-rules.ts'
import { startTestAuth, type TestAuth } from '../../src/testing/auth.ts'

/** Run more with `FUZZ_RUNS=1000000`. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 50_000)

const SITE = 'https://app.test'
const GLOBS = [
  'https://*-preview.app.test/**',
  'https://**.wild.test/cb',
  'https://one.test/exact?a=b',
  'https://v[0-9].set.test/**',
  'https://{a,b}.brace.test/**',
  'myapp://callback/**',
  'http://localhost:*/**',
]
const rules = createRedirectRules({ site_url: SITE, additional_redirect_urls: GLOBS })

const ALLOWED =
  /^(app\.test|[a-z0-9-]*-preview\.app\.test|[a-z0-9.-]*\.wild\.test|one\.test|v[0-9]\.set\.test|[ab]\.brace\.test|callback|localhost|127(\.\d+){3}|\[?::1\]?)$/i

/** Splits like RFC 3986 (appendix B): the host after the user and before the port. */
function hostByGrammar(url: string): string {
  const [, , , authority = ''] = /^(([^:/?#]+):)?\/\/([^/?#]*)/.exec(url) ?? []
  return authority.replace(/^.*@/, '').replace(/:\d*$/, '')
}

const hostsOf = (url: string) => ({
  browser: URL.parse(url)?.hostname ?? '',
  node: parseAsNode(url).hostname?.replace(/^(.*:.*)$/, '[$1]') ?? '',
  grammar: hostByGrammar(url),
})

const schemes = [
  'https:',
  'http:',
  'HTTPS:',
  'myapp:',
  'javascript:',
  'data:',
  'blob:https:',
  'ftp:',
  '',
  ' https:',
  '\thttps:',
  'ht\ntps:',
]
const slashes = ['//', '/', '', '///', '\\\\', '/\\', '\\/', '//\t', '/\n/', ':////']
const users = [
  '',
  '',
  '',
  'app.test@',
  'app.test:443@',
  '@',
  'a@b@',
  'app.test%40',
  'x:y@',
  'app.test\\@',
  'app.test#@',
  'app.test?@',
]
const hosts = [
  ...[
    'app.test',
    'evil.test',
    'x-preview.app.test',
    'evil.test-preview.app.test',
    'a.wild.test',
    'one.test',
    'v1.set.test',
  ],
  ...[
    'a.brace.test',
    'callback',
    'localhost',
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ],
  ...[
    'app.test.evil.test',
    'evil。test',
    'app。test',
    'ａpp.test',
    'app%2etest',
    '%61pp.test',
    'app.test%00.evil.test',
    'app.test.',
  ],
  ...[
    'аpp.test',
    'app\u200b.test',
    'app\u00ad.test',
    'evil.test%2f.wild.test',
    'evil.test%23.wild.test',
    'ß.wild.test',
    '',
  ],
]
const ports = ['', '', '', ':443', ':80', ':', ':0', ':99999', ':443@evil.test', ':80:80']
const rests = [
  ...[
    '',
    '/',
    '/cb',
    '/exact?a=b',
    '/**',
    '//evil.test',
    '/\\evil.test',
    '/../..',
    '/%2e%2e',
    '?a=b',
    '#x',
    '#@evil.test',
    '?@evil.test',
  ],
  ...[
    '-preview.app.test/',
    '.wild.test/cb',
    '/.wild.test/cb',
    '?.wild.test/cb',
    '#.wild.test/cb',
    '@a.wild.test/cb',
    '\\.wild.test/cb',
    ';.wild.test/cb',
  ],
]
const address = fc
  .tuple(...[schemes, slashes, users, hosts, ports, rests, rests].map((parts) => fc.constantFrom(...parts)))
  .map((parts) => parts.join(''))
const cut = fc
  .tuple(
    address,
    fc.nat(80),
    fc.constantFrom('\t', '\n', '\r', ' ', '\\', '@', '/', '?', '#', '%', '.', '。', '\u0000', '\u00a0', '\u2028'),
  )
  .map(([url, at, character]) => url.slice(0, at) + character + url.slice(at))

test('an allowed URL leads to an allowed host in every URL parser', () => {
  let allowed = 0
  fc.assert(
    fc.property(fc.oneof(address, cut), (url) => {
      if (!rules.allows(url)) return
      allowed += 1
      for (const [reader, host] of Object.entries(hostsOf(url)))
        expect([url, reader, host]).toEqual([url, reader, expect.stringMatching(ALLOWED)])
      expect(URL.parse(url)?.protocol).toMatch(/^(https?|myapp):$/)
    }),
    { numRuns: RUNS },
  )
  expect(allowed).toBeGreaterThan(RUNS / 1000)
})

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
site_url = "${SITE}"
additional_redirect_urls = ${JSON.stringify(GLOBS)}
[auth.external.github]
enabled = true
client_id = "c"
secret = "s"
`)
})
afterAll(() => auth.close())

test('checks redirects in the query, the header and the referrer', async () => {
  const target = 'https://evil?-preview.app.test/'
  const verify = (headers: Record<string, string>, query = '') =>
    fetch(`${auth.url}/auth/v1/verify?token=x&type=signup${query}`, { headers, redirect: 'manual' })
  for (const response of [
    await verify({}, `&redirect_to=${encodeURIComponent(target)}`),
    await verify({ redirect_to: target }),
    await verify({ referer: target }),
    await verify(
      { referer: target, redirect_to: 'https://evil.test/' },
      '&redirect_to=//evil.test&redirect_to=https://evil.test',
    ),
  ])
    expect(new URL(response.headers.get('location') ?? '').origin).toBe(SITE)
  const begun = await fetch(`${auth.url}/auth/v1/authorize?provider=github&redirect_to=${encodeURIComponent(target)}`, {
    redirect: 'manual',
  })
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const back = await fetch(`${auth.url}/auth/v1/callback?error=no&state=${state}`, { redirect: 'manual' })
  expect(new URL(back.headers.get('location') ?? '').origin).toBe(SITE)
})
