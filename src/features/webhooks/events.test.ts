import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isWebhookAddress, ownMachineHost, WEBHOOK_EVENTS } from './events.ts'

test('the events match the database', async () => {
  const schema = await readFile('supabase/schemas/events/webhooks.sql', 'utf8')
  const [, listed = ''] =
    /webhook_event_types\(\)[^[]*array\[([^\]]*)\]/.exec(schema.split('returns text[]').join('')) ?? []
  const events = WEBHOOK_EVENTS.flatMap((group) => group.events.map(({ value }) => value as string))
  expect([...listed.matchAll(/'([a-z._]+)'/g)].map(([, name]) => name).toSorted()).toEqual(events.toSorted())
})

test.each([
  ['https://hooks.example.org/in?a=b', true],
  ['http://localhost:4000/', true],
  ['http://[::1]:4000/', true],
  ['http://hooks.example.org/', false],
  ['https://user:secret@example.org/', false],
  ['https://example.org/#a', false],
  ['hooks.example.org', false],
  ['', false],
])('%s is a valid webhook address: %s', (address, is) => {
  expect(isWebhookAddress(address)).toBe(is)
})

test.each([
  ['http://localhost:4000/in', 'localhost:4000'],
  ['http://127.0.0.1/', '127.0.0.1:80'],
  ['https://[::1]/', '[::1]:443'],
  ['https://localhost.example.org/', undefined],
  ['localhost:4000', undefined],
])('%s must be allowed as %s', (address, host) => {
  expect(ownMachineHost(address)).toBe(host)
})
