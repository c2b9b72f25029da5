import { Refusal } from '../_shared/errors.ts'
import { metadataFetch, refreshConnections, settleConnections } from '../_shared/sign-in/connections.ts'
import type { Domains, Holder } from '../_shared/sign-in/domains.ts'
import { connect, Metadata, refusalOf } from './connect.ts'
import { entityOf, mayTake, rightTo } from './entity-claim.ts'
import type { OwnedDomain } from './owned-domain.ts'
import { type LookUpTxt, txtLookup } from './txt-records.ts'
import { verify } from './verify.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const OTHER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const PROVIDER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0003'
const ENTITY = 'https://idp.example/metadata'

const CLAIMED: OwnedDomain = {
  id: ID,
  library_id: OTHER,
  domain: 'company.example',
  token: 't0ken',
  verified_at: null,
  provider_id: null,
  entity_id: null,
  metadata_url: null,
  owner: OTHER,
}
const VERIFIED: OwnedDomain = { ...CLAIMED, verified_at: '2026-01-01T00:00:00Z' }

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

/** Returns a promise's value, or the status and first sentence of its refusal. */
const ended = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => {
    if (error instanceof Refusal) return `${error.status} ${/^.*?[.:]/.exec(error.message)?.[0]}`
    throw error
  })

/** Records writes in `done`; with `isTaken`, all of them fail. */
function domainsThat(done: unknown[][], { isTaken = false } = {}): Domains {
  const write =
    (name: string) =>
    async (...of: unknown[]): Promise<boolean> => {
      done.push([name, ...of])
      return !isTaken
    }
  return {
    verify: write('verify'),
    connect: write('connect'),
    verifiedBy: async () => [],
    connectedWith: async () => [],
    holderOf: async () => undefined,
    release: async () => {},
    unsettled: async () => [],
    settle: async () => {},
    metadataAddresses: async () => new Map(),
  }
}

Deno.test('a domain is verified by a TXT record with the token at either name', async () => {
  const cases: [Record<string, string[]>, unknown][] = [
    [{ '_carrel.company.example': ['carrel-verification=t0ken'] }, undefined],
    [{ 'company.example': ['v=spf1 -all', ' carrel-verification= t0ken '] }, undefined],
    [{ 'company.example': ['carrel-verification=old', 'carrel-verification=t0ken'] }, undefined],
    [
      { 'company.example': ['v=spf1 -all', 'x carrel-verification=t0ken'] },
      '409 The domain doesn’t have this record yet.',
    ],
    [{ '_carrel.company.example': ['carrel-verification=other'] }, '409 The domain’s record has a different value.'],
  ]
  for (const [records, outcome] of cases) {
    const done: unknown[][] = []
    const lookUp: LookUpTxt = (name) => Promise.resolve(records[name] ?? [])
    assertEquals(await ended(verify(CLAIMED, { domains: domainsThat(done), lookUp })), outcome)
    assertEquals(done, outcome ? [] : [['verify', ID, OTHER]])
  }
})

Deno.test('a failed lookup is reported, unless the other name has the record', async () => {
  const domains = domainsThat([])
  const failing = (name: string, records: string[] = []): LookUpTxt => {
    return (asked) => (asked === name ? Promise.reject(new Error('SERVFAIL')) : Promise.resolve(records))
  }
  assertEquals(
    await ended(verify(CLAIMED, { domains, lookUp: failing('company.example') })),
    '409 The domain’s DNS couldn’t be reached.',
  )
  const lookUp = failing('company.example', ['carrel-verification=t0ken'])
  assertEquals(await ended(verify(CLAIMED, { domains, lookUp })), undefined)
})

Deno.test('a domain verified by another library is rejected', async () => {
  const domains = domainsThat([], { isTaken: true })
  const lookUp: LookUpTxt = () => Promise.resolve(['carrel-verification=t0ken'])
  assertEquals(
    await ended(verify(CLAIMED, { domains, lookUp })),
    '409 Another library has already verified this domain.',
  )
})

Deno.test('TXT records over HTTPS: split, mixed, missing, failing', async () => {
  const answers: Record<string, unknown> = {
    pieces: { Status: 0, Answer: [{ type: 16, data: '"carrel-" "verif\\"ication"' }] },
    bare: {
      Status: 0,
      Answer: [
        { type: 5, data: 'alias.' },
        { type: 16, data: 'bare text' },
      ],
    },
    none: { Status: 3 },
    broken: { Status: 2 },
    huge: { Status: 0, Answer: [{ type: 16, data: 'x'.repeat(70_000) }] },
  }
  const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => {} }, (request) => {
    const name = new URL(request.url).searchParams.get('name') ?? ''
    return Response.json(answers[name] ?? {}, { status: name in answers ? 200 : 502 })
  })
  try {
    const lookUp = txtLookup(`http://127.0.0.1:${server.addr.port}/dns-query`)
    const outcomes: Record<string, unknown> = {}
    for (const name of [...Object.keys(answers), 'gone']) {
      outcomes[name] = await lookUp(name).catch((error: Error) => error.message)
    }
    assertEquals(outcomes, {
      pieces: ['carrel-verif"ication'],
      bare: ['bare text'],
      none: [],
      broken: 'The resolver answered with the DNS status 2.',
      huge: 'The answer of the resolver has more than 65536 bytes.',
      gone: 'The resolver answered with the status 502.',
    })
  } finally {
    await server.shutdown()
  }
})

type ReceivedRequest = [method: string | undefined, path: string, body: unknown][]

/** A fake auth admin API. @param answer Returns its response. */
const auth =
  (asked: ReceivedRequest, answer: () => Response) =>
  (path: string, init: RequestInit): Promise<Response> => {
    asked.push([init.method, path, init.body ? JSON.parse(String(init.body)) : null])
    return Promise.resolve(answer())
  }
const fetchMetadata = (address: string) => Promise.resolve(`<EntityDescriptor entityID="${address}"/>`)
const readDomain = () => Promise.resolve(null)
const made = () => Response.json({ id: PROVIDER, saml: { entity_id: ENTITY } })

Deno.test('errors of the auth service are explained to owners', async () => {
  const cases: [number, object, string][] = [
    [422, { error_code: 'saml_idp_already_exists' }, '409 This identity provider is already set up here.'],
    [400, { error_code: 'sso_domain_already_exists' }, '409 Another connection of this service uses this domain.'],
    [400, { error_code: 'saml_entity_id_mismatch' }, '409 This is the metadata of another identity provider.'],
    [400, { error_code: 'validation_failed', msg: 'no EntityID' }, '400 The metadata isn’t accepted:'],
    [404, { error_code: 'saml_provider_disabled' }, '409 SAML sign-in isn’t enabled here.'],
  ]
  for (const [status, body, refusal] of cases)
    assertEquals(await ended(Promise.reject(refusalOf(status, body))), refusal)
  const deps = { readDomain, domains: domainsThat([]), ask: auth([], made), fetchMetadata }
  assertEquals(await ended(connect(CLAIMED, { url: ENTITY }, deps)), '409 Verify the domain first.')
})

Deno.test('a connection that cannot be saved is undone', async () => {
  const asked: ReceivedRequest = []
  const deps = { readDomain, domains: domainsThat([], { isTaken: true }), ask: auth(asked, made), fetchMetadata }
  assertEquals(await ended(connect(VERIFIED, { url: ENTITY }, deps)), '409 The domain was just removed.')
  assertEquals(asked.at(-1)?.slice(0, 2), ['DELETE', `/sso/providers/${PROVIDER}`])
})

Deno.test('metadata is either an https URL or a text of limited length', () => {
  const accepted = [
    { url: ENTITY },
    { url: 'http://idp.example' },
    { url: 'file:///etc/passwd' },
    { xml: '<x/>' },
    { xml: 'x'.repeat(500_001) },
    { xml: '<x/>', url: ENTITY },
    { same_as: 'x' },
  ].map((metadata) => Metadata.safeParse(metadata).success)
  assertEquals(accepted, [true, false, false, true, false, false, false])
})

Deno.test('connections without a domain are deleted, and failures are retried next time', async () => {
  const settled: string[][] = []
  const asked: ReceivedRequest = []
  const connections = {
    unsettled: async () => [
      { provider_id: PROVIDER, since: '1', domains: [] },
      { provider_id: OTHER, since: '2', domains: ['company.org'] },
      { provider_id: ID, since: '3', domains: [] },
    ],
    settle: async (...of: string[]) => void settled.push(of),
  }
  const statuses = [404, 500, 200]
  await settleConnections(
    connections,
    auth(asked, () => new Response('{}', { status: statuses.shift() ?? 200 })),
  )
  assertEquals(asked, [
    ['DELETE', `/sso/providers/${PROVIDER}`, null],
    ['PUT', `/sso/providers/${OTHER}`, { type: 'saml', domains: ['company.org'] }],
    ['DELETE', `/sso/providers/${ID}`, null],
  ])
  assertEquals(settled, [
    [PROVIDER, '1'],
    [ID, '3'],
  ])
})

Deno.test('metadata is fetched only from the public internet', async () => {
  for (const address of [
    'https://127.0.0.1/metadata',
    'https://169.254.169.254/latest',
    'https://[::1]:8443/',
    'https://localhost/x',
  ])
    assertEquals(
      await metadataFetch()(address).catch(({ status, body }) => `${status} ${body.code}`),
      '409 metadata_unreachable',
    )
})

Deno.test('current metadata is sent to the auth service, and unreadable metadata is skipped', async () => {
  const asked: ReceivedRequest = []
  const addresses = new Map([
    [ID, 'https://gone.example/'],
    [PROVIDER, ENTITY],
  ])
  const fetchOne = (address: string) =>
    address === ENTITY ? Promise.resolve('<new/>') : Promise.reject(new Error('gone'))
  await refreshConnections(addresses, auth(asked, made), fetchOne)
  assertEquals(asked, [['PUT', `/sso/providers/${PROVIDER}`, { type: 'saml', metadata_xml: '<new/>' }]])
})

Deno.test('the verified domain of an entity ID ranks above metadata at its host', () => {
  const cases: [string, string[], string | null, number][] = [
    ['https://sso.company.example/realms/x', ['company.example'], null, 2],
    ['https://company.example', ['other.example', 'company.example'], null, 2],
    ['https://evilcompany.example/', ['company.example'], null, 0],
    ['https://company.example.evil.example/', ['company.example'], null, 0],
    ['https://idp.example/metadata', ['evil.example'], 'https://idp.example/metadata', 1],
    ['https://idp.example/metadata', ['evil.example'], 'https://idp.example:8443/metadata', 0],
    ['https://idp.example/metadata', ['evil.example'], 'https://evil.example/metadata', 0],
    ['https://sts.windows.net/tenant/', ['evil.example'], 'https://login.microsoftonline.com/tenant/metadata.xml', 1],
    ['https://sts.windows.net/tenant/', ['evil.example'], 'https://login.microsoftonline.com/mine/metadata.xml', 0],
    ['urn:company.example', ['company.example'], 'https://company.example', 0],
  ]
  for (const [entity, domains, url, right] of cases)
    assertEquals([entity, rightTo(entity, domains, url)], [entity, right])
  assertEquals(
    entityOf('<md:EntityDescriptor xmlns="x" entityID="https://a.example/?b=1&amp;c=2">'),
    'https://a.example/?b=1&c=2',
  )
})

Deno.test('an identity provider passes to a stronger claim, or if unused, to an equal one', () => {
  const holder: Holder = {
    provider_id: OTHER,
    library_id: ID,
    domains: ['evil.example'],
    metadata_url: null,
    is_used: true,
    connected_at: '2026-01-01',
  }
  const now = Date.parse('2026-02-01')
  const fresh = { is_used: false, connected_at: '2026-02-01' }
  const cases: [change: Partial<Holder>, right: number, mayTake: boolean][] = [
    [{}, 1, false],
    [fresh, 1, true],
    [{}, 0, false],
    [{ is_used: false }, 0, true],
    [fresh, 0, false],
    [{ metadata_url: ENTITY }, 1, false],
    [{ metadata_url: ENTITY, is_used: false }, 1, true],
    [{ domains: ['idp.example'], is_used: false }, 1, false],
    [{ library_id: OTHER }, 1, false],
    [{}, 2, true],
  ]
  for (const [change, right, expected] of cases)
    assertEquals(
      [change, right, mayTake(ENTITY, OTHER, right, { ...holder, ...change }, now)],
      [change, right, expected],
    )
})
