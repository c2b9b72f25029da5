import { deepStrictEqual, ok, rejects } from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Unreadable } from '../errors.ts'
import { pictureOf } from '../extraction/html.ts'
import { isPublicAddress } from './address.ts'
import { fetchPage, fetchPicture, type WebDeps } from './fetch-page.ts'

const ADDRESSES: readonly [string, boolean][] = [
  ['93.184.216.34', true],
  ['2606:2800:220:1:248:1893:25c8:1946', true],
  ...[
    '127.0.0.1 10.1.2.3 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 198.18.0.1 224.0.0.1 255.255.255.255',
    '::1 :: fe80::1 fc00::1 fd00:ec2::254 ::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 ff02::1',
    '[::1] fe80::1%eth0 localhost 2130706433 example.org',
  ].flatMap((line) => line.split(' ').map((address): [string, boolean] => [address, false])),
]
Deno.test('only public internet addresses are public', () => {
  deepStrictEqual(
    ADDRESSES.map(([address]) => [address, isPublicAddress(address)]),
    ADDRESSES,
  )
})

Deno.test('an invalid address is reported', async () => {
  for (const address of [
    'http://exa mple',
    'http://[fe80::1%25lo]:8080/',
    'http://[::::]/',
    'http://1.2.3.4.5/',
    '',
    'x',
  ])
    await withSite(
      (_request, response) => response.end(),
      async (_base, deps) => {
        await rejects(
          fetchPage(address, deps),
          (error) => error instanceof Unreadable && /isn’t a web address/.test(error.message),
        )
      },
    )
})

async function withSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  act: (base: string, deps: WebDeps) => Promise<void>,
  more: Partial<WebDeps> = {},
): Promise<void> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const deps: WebDeps = {
    resolve: async (host) => (host.endsWith('.test') ? [{ address: '127.0.0.1', family: 4 }] : []),
    isAllowed: isPublicAddress,
    allowedHosts: new Set([`site.test:${port}`]),
    timeout: 3000,
    mostBytes: 100_000,
    ...more,
  }
  try {
    await act(`http://site.test:${port}`, deps)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const refusedWith = (pattern: RegExp) => (error: unknown) => error instanceof Unreadable && pattern.test(error.message)

Deno.test('a page is fetched with its Host header, following redirects, and decompressed', async () => {
  const hosts: (string | undefined)[] = []
  await withSite(
    ({ url, headers }, response) => {
      hosts.push(headers.host)
      if (url === '/old') return response.writeHead(301, { location: '/new?a=b' }).end()
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' })
      response.end(gzipSync('<p>Words.</p>'))
    },
    async (base, deps) => {
      const page = await fetchPage(`${base}/old`, deps)
      deepStrictEqual([page.url, page.mimeType], [`${base}/new?a=b`, 'text/html'])
      deepStrictEqual(new TextDecoder().decode(page.bytes), '<p>Words.</p>')
      ok(hosts.every((host) => host === new URL(base).host))
    },
  )
})

const PRIVATE = [
  'http://127.0.0.1/',
  'http://[::1]/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://inside.test/',
  'https://inside.test:8443/',
  'http://site.test:22/',
  'http://[::ffff:10.0.0.1]/',
]
Deno.test('private addresses are rejected in every notation, by name and by number', async () => {
  let asked = 0
  await withSite(
    (_, response) => {
      asked += 1
      response.end('secret')
    },
    async (_base, deps) => {
      for (const url of PRIVATE) await rejects(fetchPage(url, deps), refusedWith(/isn’t on the public internet/))
    },
  )
  deepStrictEqual(asked, 0)
})

Deno.test('a redirect to a private address is rejected and not followed', async () => {
  for (const location of [
    'http://127.0.0.1/',
    'http://inside.test/',
    'file:///etc/passwd',
    'http://a:b@site.test/',
    '//10.0.0.1/x',
  ]) {
    await withSite(
      (_, response) => response.writeHead(302, { location }).end(),
      async (base, deps) => {
        await rejects(fetchPage(base, deps), refusedWith(/isn’t on the public internet|Only web pages|password/))
      },
    )
  }
})

Deno.test('a name that resolves to a private address later is resolved only once', async () => {
  let lookups = 0
  await withSite(
    (_, response) => response.end('secret'),
    async (_base, deps) => {
      const rebinding = async () => {
        lookups += 1
        return [{ address: lookups === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
      }
      const rebound = {
        ...deps,
        resolve: rebinding,
        isAllowed: (address: string) => address === '192.0.2.1',
        timeout: 300,
      }
      await rejects(fetchPage('http://rebind.test/', rebound), refusedWith(/can’t be reached|too long/))
      deepStrictEqual(lookups, 1)
    },
  )
})

Deno.test('one private address among public ones is rejected', async () => {
  await withSite(
    (_, response) => response.end('x'),
    async (_base, deps) => {
      const both = async () => [
        { address: '93.184.216.34', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]
      await rejects(fetchPage('http://mixed.test/', { ...deps, resolve: both }), refusedWith(/isn’t on the public/))
    },
  )
})

const BAD: readonly [string, (response: ServerResponse) => void, RegExp][] = [
  ['too large', (response) => response.end('x'.repeat(200_000)), /larger than/],
  [
    'a compression bomb',
    (response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(new Uint8Array(5_000_000)))
    },
    /larger than/,
  ],
  ['a video', (response) => response.writeHead(200, { 'content-type': 'video/mp4' }).end('x'), /leads to video\/mp4/],
  ['not found', (response) => response.writeHead(404).end(), /no page at this address/],
  ['behind a sign-in', (response) => response.writeHead(403).end(), /after signing in there/],
  ['a redirect loop', (response) => response.writeHead(302, { location: '/' }).end(), /redirects endlessly/],
  ['slow', () => {}, /takes too long/],
  [
    'slow after the first bytes',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.write('<p>')
    },
    /takes too long/,
  ],
  [
    'wrong content encoding',
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    /can’t be reached/,
  ],
]
for (const [name, answer, message] of BAD) {
  Deno.test(`a page is rejected with advice: ${name}`, async () => {
    await withSite(
      (_, response) => answer(response),
      (base, deps) => rejects(fetchPage(base, deps), refusedWith(message)),
      { timeout: 500 },
    )
  })
}

Deno.test('an unknown host is reported', async () => {
  await withSite(
    () => {},
    (_base, deps) => rejects(fetchPage('https://nowhere.invalid/', deps), refusedWith(/site doesn’t exist/)),
  )
})

Deno.test("a page's preview image is found", () => {
  const at = 'https://example.org/harbours/'
  const pages: readonly [string, string | null][] = [
    ['<meta property="og:image" content="/a.png?b=1&amp;c=2">', 'https://example.org/a.png?b=1&c=2'],
    ["<META content='a.png' name=twitter:image />", 'https://example.org/harbours/a.png'],
    [
      '<meta property="og:image:width" content="600"><meta property="og:image" content="//x.example/a">',
      'https://x.example/a',
    ],
    ['<meta property="og:image" content="">', null],
    ['<meta property="og:image" content="http://[">', null],
    ['<p>og:image content="a.png"</p>', null],
  ]
  for (const [html, picture] of pages) deepStrictEqual(pictureOf(html, at), picture)
})

Deno.test('a picture is fetched with the same checks as a page', async () => {
  await withSite(
    (request, response) => {
      if (request.url === '/inside') return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      response.writeHead(200, { 'content-type': request.url === '/page' ? 'text/html' : 'image/png' }).end('picture')
    },
    async (base, deps) => {
      deepStrictEqual(new TextDecoder().decode((await fetchPicture(`${base}/a.png`, deps)).bytes), 'picture')
      await rejects(fetchPicture(`${base}/inside`, deps), /isn’t on the public internet/)
      await rejects(fetchPicture(`${base}/page`, deps), /leads to text\/html/)
      await rejects(fetchPicture(`${base}/a.png`, { ...deps, mostBytes: 3 }), /larger than/)
      await rejects(fetchPicture('http://169.254.169.254/a.png', deps), /isn’t on the public internet/)
    },
  )
})
