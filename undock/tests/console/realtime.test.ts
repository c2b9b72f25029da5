import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, HOSTILE, test } from './fixtures.ts'

const clients: SupabaseClient[] = []
test.afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.realtime.disconnect()))
})

function appOf({ url, identity }: { url: string; identity: { keys: { publishable: string } } }): SupabaseClient {
  const client = createClient(url, identity.keys.publishable)
  clients.push(client)
  return client
}

test('joins a channel, sends, and shows broadcasts, presence and row changes as they arrive', async ({
  page,
  backend: { stack },
}) => {
  await page.goto('/realtime')
  await expect(page.getByRole('heading', { name: 'Join a channel' })).toBeVisible()
  await expectAccessible(page, 'before a channel is joined')
  await page.getByLabel('Topic').fill('room:1')
  await page.getByRole('button', { name: 'Listen to row changes' }).click()
  await page.getByLabel('Table 1').fill('books')
  await page.getByRole('button', { name: 'Add it …' }).click()
  await page.getByRole('button', { name: 'Apply and write the migration' }).click()
  await expect(page.getByRole('button', { name: 'Add it …' })).toBeHidden()
  await page.getByLabel('Filter 1').fill('id=eq.1234')
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await expect(page.getByText('joined', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/topic=room/)

  const messages = page.getByRole('list', { name: 'Messages' })
  const app = appOf(stack)
  const room = app.channel('room:1', { config: { presence: { key: 'the app' } } })
  const heard: unknown[] = []
  room.on('broadcast', { event: 'message' }, ({ payload }) => heard.push(payload))
  await new Promise<void>((resolve) => room.subscribe((status) => status === 'SUBSCRIBED' && resolve()))
  await room.track({ mood: HOSTILE })
  await room.send({ type: 'broadcast', event: 'greeting', payload: { text: HOSTILE } })
  await stack.db.exec('update public.books set title = title where id in (1234, 1235)')

  await expect(messages.getByRole('button', { name: /broadcast greeting/ })).toContainText('<img src=x')
  await expect(messages.getByRole('button', { name: /change UPDATE public.books/ })).toHaveCount(1)
  await expect(page.getByRole('region', { name: 'Who is present' })).toContainText('the app')
  await page.getByRole('button', { name: 'Track', exact: true }).click()
  await expect(page.getByText('2 present')).toBeVisible()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(messages.getByRole('button', { name: /broadcast message/ })).toBeVisible()
  await expect.poll(() => heard).toEqual([{ text: 'Hello' }])
  await messages.getByRole('button', { name: /change UPDATE/ }).click()
  await expect(page.getByRole('region', { name: 'Payload' })).toContainText('"title": "Book 1234"')
  await expectAccessible(page, 'a joined channel')

  await page.getByRole('button', { name: 'Pause' }).click()
  await room.send({ type: 'broadcast', event: 'later', payload: {} })
  await page.getByLabel('Kind').selectOption('change')
  await expect(page.getByText('1 message', { exact: true })).toBeVisible()
  await page.getByLabel('Kind').selectOption('')
  await page.getByRole('button', { name: 'Follow' }).click()
  await expect(messages.getByRole('button', { name: /broadcast later/ })).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing has arrived yet' })).toBeVisible()

  await page.getByRole('link', { name: 'Connected' }).click()
  const row = page.getByRole('row').filter({ hasText: 'anon' })
  await expect(row).toContainText('present as the app')
  await expect(page.getByRole('row').filter({ hasText: 'service_role' })).toContainText(
    'row changes: all of public.books where id=eq.1234',
  )
  await expectAccessible(page, 'who is connected')
  await page.getByLabel('Search clients').fill('nobody')
  await expect(page.getByRole('heading', { name: 'No matching clients' })).toBeVisible()
})

test("shows and explains the service's error, and a policy fixes it", async ({ page, backend: { stack } }) => {
  await page.goto('/realtime?topic=board&as=anon&private=true&join=true')
  const refused = page.getByRole('region', { name: 'Refused' })
  await expect(refused).toContainText(
    'Unauthorized: You do not have permissions to read from this Channel topic: board',
  )
  await expect(refused.getByRole('status')).toContainText('The row is not seen')
  await expectAccessible(page, 'a refused join')
  await stack.db.exec('create policy "strangers listen" on realtime.messages for select to anon using (true)')
  await page.getByRole('button', { name: 'Join again' }).click()
  await expect(page.getByText('joined', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(refused).toContainText('It does not answer callers who may not send')
  await expect(refused.getByRole('status')).toContainText(/refuses|not allowed/)
  await page.getByLabel('Payload').first().fill('[1]')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('form', { name: 'Send a broadcast' }).getByRole('alert')).toContainText('JSON object')

  await page.getByLabel('Join as').fill('nobody-is-called-so')
  await page.getByRole('button', { name: 'Join again' }).click()
  await expect(refused).toContainText('There is no user or role "nobody-is-called-so".')
  await stack.db.exec('drop policy "strangers listen" on realtime.messages')
})
