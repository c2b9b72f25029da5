import type { SupabaseClient } from '@supabase/supabase-js'
import { Refusal } from '../_shared/errors.ts'
import type { Mail } from '../_shared/mail/settings.ts'
import { askForInvitation, enterInvitation } from './joining.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const EMAIL = 'new@example.org'

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

type Asked = [what: string, ...parameters: unknown[]][]

function serviceThat(asked: Asked, answer: object | null, linkError: object | null = null): SupabaseClient {
  const link = linkError
    ? { data: {}, error: linkError }
    : { data: { properties: { hashed_token: 'h4sh' } }, error: null }
  return {
    rpc: (...call: unknown[]) => {
      asked.push(['rpc', ...call])
      return { throwOnError: () => Promise.resolve({ data: answer }) }
    },
    auth: {
      admin: {
        generateLink: (...call: unknown[]) => {
          asked.push(['link', ...call])
          return link
        },
        updateUserById: (...call: unknown[]) => {
          asked.push(['update', ...call])
          return { error: null }
        },
      },
    },
  } as unknown as SupabaseClient
}

const enter = (service: SupabaseClient) => enterInvitation({ token: 't', key: 'k' }, service)
const refusalOf = async (service: SupabaseClient) => {
  const error = await enter(service).catch((caught) => caught)
  return error instanceof Refusal ? error.status : error
}

Deno.test('who has the key of the mail gets a token that signs in to a new account', async () => {
  const asked: Asked = []
  const service = serviceThat(asked, { email: EMAIL, account: null, unconfirmed: null })
  assertEquals(await enter(service), { token_hash: 'h4sh' })
  assertEquals(asked, [
    ['rpc', 'enter_invitation', { token: 't', key: 'k' }],
    ['link', { type: 'invite', email: EMAIL }],
  ])
})

Deno.test('the password of somebody who signed up with the address before them ends', async () => {
  const asked: Asked = []
  await enter(serviceThat(asked, { email: EMAIL, account: null, unconfirmed: ID }))
  const [what, account, change] = asked[1] ?? []
  assertEquals([what, account], ['update', ID])
  assertEquals(/^aA1![0-9a-f]{64}$/.test((change as { password: string }).password), true)
})

Deno.test('a key opens no account that exists', async () => {
  const asked: Asked = []
  assertEquals(await refusalOf(serviceThat(asked, { email: EMAIL, account: ID, unconfirmed: null })), 409)
  assertEquals(asked.length, 1)
  const since = serviceThat([], { email: EMAIL, account: null, unconfirmed: null }, { code: 'email_exists' })
  assertEquals(await refusalOf(since), 409)
})

Deno.test('a wrong key, and an invitation that is not open, are refused alike', async () => {
  assertEquals(await refusalOf(serviceThat([], null)), 404)
})

const ASKED = { email: 'ada@example.org', locale: 'de', library_id: ID, library: 'Lesesaal', invited: EMAIL }

Deno.test('an owner is told who asks for a new link, in their language', async () => {
  const sent: Mail[] = []
  const send = (mail: Mail) => Promise.resolve(void sent.push(mail))
  const delivery = { send, site: 'https://carrel.example' }
  assertEquals(await askForInvitation('t', serviceThat([], ASKED), delivery), { asked: true })
  assertEquals(
    sent.map(({ to, subject }) => [to, subject]),
    [['ada@example.org', 'new@example.org bittet um eine neue Einladung']],
  )
  assertEquals(sent[0]?.text.includes(`https://carrel.example/l/${ID}/members`), true)
})

Deno.test('who asks is told the same when there is nobody to tell, no mail server, or a mail that cannot be sent', async () => {
  const refuse = () => Promise.reject(new Error('550 no such mailbox'))
  const delivery = { send: refuse, site: 'https://carrel.example' }
  for (const answer of [
    askForInvitation('t', serviceThat([], null), delivery),
    askForInvitation('t', serviceThat([], ASKED), null),
    askForInvitation('t', serviceThat([], ASKED), delivery),
  ])
    assertEquals(await answer, { asked: true })
})
