import type { SupabaseClient } from '@supabase/supabase-js'
import { Refusal } from '../_shared/errors.ts'
import { refreshConnections, settleConnections } from '../_shared/sign-in/connections.ts'
import { metadataFetch } from '../_shared/sign-in/metadata.ts'
import { connect, Metadata } from './connect.ts'
import { entityOf, rightTo } from './entity-claim.ts'
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

/** How a promise ends: its value, or the status and the first sentence of the refusal. */
const ended = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => {
    if (error instanceof Refusal) return `${error.status} ${/^.*?[.:]/.exec(error.message)?.[0]}`
    throw error
  })

type Calls = unknown[][]

/** A client that keeps what it is asked. @param answers By the name of the function or table. */
function client(calls: Calls, answers: Record<string, unknown>): SupabaseClient {
  const table = (name: string) => {
    const query: Record<string, unknown> = {
      throwOnError: () => Promise.resolve({ data: answers[name] ?? null }),
    }
    for (const method of ['select', 'eq', 'not', 'maybeSingle']) query[method] = () => query
    return query
  }
  return {
    from: table,
    rpc: (name: string, params?: object) => ({
      throwOnError: () => {
        calls.push([name, ...(params ? [params] : [])])
        return Promise.resolve({ data: answers[name] ?? null })
      },
    }),
  } as unknown as SupabaseClient
}

Deno.test('a domain is verified by a record of either name that has the token', async () => {
  const cases: [Record<string, string[]>, unknown][] = [
    [{ '_carrel.company.example': ['carrel-verification=t0ken'] }, undefined],
    [{ 'company.example': ['v=spf1 -all', ' carrel-verification= t0ken '] }, undefined],
    [{ 'company.example': ['carrel-verification=old', 'carrel-verification=t0ken'] }, undefined],
    [{ 'company.example': ['v=spf1 -all', 'x carrel-verification=t0ken'] }, '409 The domain has no such record yet.'],
    [{ '_carrel.company.example': ['carrel-verification=other'] }, '409 The record of the domain has another value.'],
  ]
  for (const [records, outcome] of cases) {
    const calls: Calls = []
    const service = client(calls, { verify_sign_in_domain: true })
    const lookUp: LookUpTxt = (name) => Promise.resolve(records[name] ?? [])
    assertEquals(await ended(verify(CLAIMED, { service, lookUp })), outcome)
    assertEquals(calls, outcome ? [] : [['verify_sign_in_domain', { claim: ID, owner: OTHER }]])
  }
})

Deno.test('a lookup that fails is told as that, unless the other name has the record', async () => {
  const service = client([], { verify_sign_in_domain: true })
  const failing = (name: string, records: string[] = []): LookUpTxt => {
    return (asked) => (asked === name ? Promise.reject(new Error('SERVFAIL')) : Promise.resolve(records))
  }
  assertEquals(
    await ended(verify(CLAIMED, { service, lookUp: failing('company.example') })),
    '409 The DNS of the domain could not be asked.',
  )
  const lookUp = failing('company.example', ['carrel-verification=t0ken'])
  assertEquals(await ended(verify(CLAIMED, { service, lookUp })), undefined)
})

Deno.test('a domain that another library has verified is refused', async () => {
  const service = client([], { verify_sign_in_domain: false })
  const lookUp: LookUpTxt = () => Promise.resolve(['carrel-verification=t0ken'])
  assertEquals(
    await ended(verify(CLAIMED, { service, lookUp })),
    '409 Another library has verified this domain before.',
  )
})

Deno.test('records come over HTTPS: in pieces, among others, none, and not at all', async () => {
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

type Asked = [method: string | undefined, path: string, body: unknown][]

/** The auth service's administration. @param answer What it says to each question. */
const auth =
  (asked: Asked, answer: () => Response) =>
  (path: string, init: RequestInit): Promise<Response> => {
    asked.push([init.method, path, init.body ? JSON.parse(String(init.body)) : null])
    return Promise.resolve(answer())
  }
const fetchMetadata = (address: string) => Promise.resolve(`<EntityDescriptor entityID="${address}"/>`)
const made = () => Response.json({ id: PROVIDER, saml: { entity_id: ENTITY } })

Deno.test('a connection is made for the domain alone, and changed where there is one', async () => {
  const calls: Calls = []
  const asked: Asked = []
  const service = client(calls, { connect_sign_in_domain: true, unsettled_sign_in_providers: [] })
  const deps = { caller: client([], {}), service, ask: auth(asked, made), fetchMetadata }
  await connect(VERIFIED, { xml: '<x/>' }, deps)
  await connect({ ...VERIFIED, provider_id: PROVIDER }, { url: ENTITY }, deps)
  assertEquals(
    asked.map(([method, path, body]) => {
      const { attribute_mapping: _, ...rest } = body as Record<string, unknown>
      return [method, path, rest]
    }),
    [
      ['POST', '/sso/providers', { type: 'saml', metadata_xml: '<x/>', domains: ['company.example'] }],
      ['PUT', `/sso/providers/${PROVIDER}`, { type: 'saml', metadata_xml: `<EntityDescriptor entityID="${ENTITY}"/>` }],
    ],
  )
  const noted = { claim: ID, owner: OTHER, provider: PROVIDER, entity: ENTITY }
  assertEquals(
    calls.filter(([name]) => name === 'connect_sign_in_domain'),
    [
      ['connect_sign_in_domain', { ...noted, metadata_address: null }],
      ['connect_sign_in_domain', { ...noted, metadata_address: ENTITY }],
    ],
  )
})

Deno.test('a second domain of the library shares its connection; one of another library does not', async () => {
  const asked: Asked = []
  const service = client([], {
    connect_sign_in_domain: true,
    unsettled_sign_in_providers: [],
    sign_in_domains: [{ domain: 'company.org' }],
  })
  const of = (library_id: string) => ({
    caller: client([], { sign_in_domains: { ...VERIFIED, id: OTHER, library_id, provider_id: PROVIDER } }),
    service,
    ask: auth(asked, made),
    fetchMetadata,
  })
  await connect(VERIFIED, { same_as: OTHER }, of(OTHER))
  assertEquals(asked, [
    ['PUT', `/sso/providers/${PROVIDER}`, { type: 'saml', domains: ['company.org', 'company.example'] }],
  ])
  assertEquals(
    await ended(connect(VERIFIED, { same_as: OTHER }, of(ID))),
    '409 That domain has no identity provider to share.',
  )
})

Deno.test('what the auth service refuses is told in words for an owner', async () => {
  const service = client([], { unsettled_sign_in_providers: [], sign_in_domains: [], sign_in_connection_of: [] })
  const cases: [number, object, string][] = [
    [422, { error_code: 'saml_idp_already_exists' }, '409 This identity provider is set up here already.'],
    [400, { error_code: 'sso_domain_already_exists' }, '409 Another connection of this service has this domain.'],
    [400, { error_code: 'saml_entity_id_mismatch' }, '409 This is the metadata of another identity provider.'],
    [400, { error_code: 'validation_failed', msg: 'no EntityID' }, '400 The metadata is not accepted:'],
    [404, { error_code: 'saml_provider_disabled' }, '409 Sign-in by SAML is not in use here.'],
  ]
  for (const [status, body, refusal] of cases) {
    const ask = auth([], () => Response.json(body, { status }))
    assertEquals(
      await ended(connect(VERIFIED, { url: ENTITY }, { caller: service, service, ask, fetchMetadata })),
      refusal,
    )
  }
  const ask = auth([], made)
  assertEquals(
    await ended(connect(CLAIMED, { url: ENTITY }, { caller: service, service, ask, fetchMetadata })),
    '409 Verify the domain first.',
  )
})

Deno.test('a connection that cannot be noted is taken back', async () => {
  const asked: Asked = []
  const service = client([], { connect_sign_in_domain: false, unsettled_sign_in_providers: [] })
  const deps = { caller: service, service, ask: auth(asked, made), fetchMetadata }
  assertEquals(await ended(connect(VERIFIED, { url: ENTITY }, deps)), '409 The domain has just been removed.')
  assertEquals(asked.at(-1)?.slice(0, 2), ['DELETE', `/sso/providers/${PROVIDER}`])
})

Deno.test('metadata is at an https address, or text of a limited length, and only one of them', () => {
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

Deno.test('connections without a domain are deleted, and what fails is left for the next time', async () => {
  const calls: Calls = []
  const asked: Asked = []
  const service = client(calls, {
    unsettled_sign_in_providers: [
      { provider_id: PROVIDER, since: '1', domains: [] },
      { provider_id: OTHER, since: '2', domains: ['company.org'] },
      { provider_id: ID, since: '3', domains: [] },
    ],
  })
  const statuses = [404, 500, 200]
  await settleConnections(
    service,
    auth(asked, () => new Response('{}', { status: statuses.shift() ?? 200 })),
  )
  assertEquals(asked, [
    ['DELETE', `/sso/providers/${PROVIDER}`, null],
    ['PUT', `/sso/providers/${OTHER}`, { type: 'saml', domains: ['company.org'] }],
    ['DELETE', `/sso/providers/${ID}`, null],
  ])
  assertEquals(
    calls.slice(1).map(([, params]) => params),
    [
      { provider: PROVIDER, since: '1' },
      { provider: ID, since: '3' },
    ],
  )
})

Deno.test('metadata is fetched from the public internet alone', async () => {
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

Deno.test('the metadata of now is given to the auth service, and what cannot be read stays', async () => {
  const asked: Asked = []
  const service = client([], {
    sign_in_domains: [
      { provider_id: ID, metadata_url: 'https://gone.example/' },
      { provider_id: PROVIDER, metadata_url: ENTITY },
      { provider_id: PROVIDER, metadata_url: ENTITY },
    ],
  })
  const fetchOne = (address: string) =>
    address === ENTITY ? Promise.resolve('<new/>') : Promise.reject(new Error('gone'))
  await refreshConnections(service, auth(asked, made), fetchOne)
  assertEquals(asked, [['PUT', `/sso/providers/${PROVIDER}`, { type: 'saml', metadata_xml: '<new/>' }]])
})

Deno.test('who has proven the domain of an entity ID has most right to it, then who reads metadata at its host', () => {
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

/** Connects an identity provider that another library has. @returns how that ends, and what was done */
async function contest(holder: object, metadata: Metadata, url = ENTITY) {
  const calls: Calls = []
  const asked: Asked = []
  const service = client(calls, {
    unsettled_sign_in_providers: [],
    connect_sign_in_domain: true,
    sign_in_domains: [{ domain: 'company.example' }],
    sign_in_connection_of: [
      {
        provider_id: OTHER,
        library_id: ID,
        domains: ['evil.example'],
        metadata_url: null,
        is_used: true,
        connected_at: '2026-01-01',
        ...holder,
      },
    ],
  })
  let isTaken = true
  const ask = auth(asked, () => {
    const answer = isTaken ? Response.json({ error_code: 'saml_idp_already_exists' }, { status: 422 }) : made()
    isTaken = false
    return answer
  })
  const outcome = await ended(
    connect(VERIFIED, metadata, { caller: service, service, ask, fetchMetadata: () => fetchMetadata(url) }),
  )
  return [outcome, calls.some(([name]) => name === 'release_sign_in_connection')]
}

Deno.test('an identity provider goes to whoever has more right to it, and an unused one to whoever has as much', async () => {
  const taken = [undefined, true]
  const refused = ['409 This identity provider is set up here already.', false]
  const file = { xml: `<EntityDescriptor entityID="${ENTITY}"/>` }
  const now = new Date().toISOString()
  assertEquals(await contest({}, { url: ENTITY }), refused)
  assertEquals(await contest({ is_used: false, connected_at: now }, { url: ENTITY }), taken)
  assertEquals(await contest({}, file), refused)
  assertEquals(await contest({ is_used: false }, file), taken)
  assertEquals(await contest({ is_used: false, connected_at: now }, file), refused)
  assertEquals(await contest({ metadata_url: ENTITY }, { url: ENTITY }), refused)
  assertEquals(await contest({ metadata_url: ENTITY, is_used: false }, { url: ENTITY }), taken)
  assertEquals(await contest({ domains: ['idp.example'], is_used: false }, { url: ENTITY }), refused)
  assertEquals(await contest({ library_id: OTHER }, { url: ENTITY }), refused)
  assertEquals(await contest({}, { xml: '<EntityDescriptor entityID="https://sso.company.example/x"/>' }), taken)
})
