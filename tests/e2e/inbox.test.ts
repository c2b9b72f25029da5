import { expectAccessible } from './accessibility.ts'
import { choose, expect, type Person, test } from './fixtures.ts'

async function sharedLibrary(owner: Person, member: Person): Promise<string> {
  const { data: library } = await owner.client.rpc('create_library', { name: 'Optics' }).throwOnError()
  const { data: invitation } = await owner.client
    .rpc('invite_member', { library: library.id, email: member.email, role: 'reader' })
    .throwOnError()
  await member.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  return library.id
}

test('mentions and invitations arrive live, are marked as read with undo, and open the comment', async ({
  page,
  signedIn,
  another,
}) => {
  const library = await sharedLibrary(another, signedIn)
  const { client } = another
  const { data: note } = await client
    .rpc('add_note', { library, title: 'Lamps', body: `For @[Ada Lovelace](${signedIn.id}).` })
    .throwOnError()
  await page.goto('/inbox')
  const inbox = page.getByRole('list', { name: 'Notifications' })
  await expect(inbox.getByText('Mary Somerville mentions you in this note')).toBeVisible()
  const bell = page.getByRole('banner').getByRole('link', { name: /^Inbox/ })
  await expect(bell).toHaveAccessibleName('Inbox, 1 unread notification')

  const { data: comment } = await client
    .from('comments')
    .insert({ library_id: library, document_id: note.id, body: `Which oil, @[Ada Lovelace](${signedIn.id})?` })
    .select('id')
    .single()
    .throwOnError()
  await expect(bell).toHaveAccessibleName('Inbox, 2 unread notifications')
  await expect(inbox.getByText('Which oil, @Ada Lovelace?')).toBeVisible()
  const { data: second } = await client.rpc('create_library', { name: 'Second' }).throwOnError()
  await client.rpc('invite_member', { library: second.id, email: signedIn.email, role: 'reader' }).throwOnError()
  await expect(inbox.locator('> li')).toHaveText([
    /Second.*Mary Somerville invites you/,
    /Optics.*Lamps.*comment.*note/,
  ])
  await expectAccessible(page, 'inbox')

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(inbox.getByRole('link', { name: 'Lamps' })).toBeFocused()
  await page.keyboard.press('e')
  await expect(inbox.locator('> li')).toHaveCount(1)
  await expect(bell).toHaveAccessibleName('Inbox, 1 unread notification')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(bell).toHaveAccessibleName('Inbox, 3 unread notifications')

  await page.getByRole('link', { name: 'Lamps' }).press('Enter')
  await expect(page).toHaveURL(new RegExp(`comment=${comment.id}`))
  await expect(page.getByRole('region', { name: 'Comments' }).getByText('Which oil')).toBeVisible()
  await expect(bell).toHaveAccessibleName('Inbox, 1 unread notification')

  await page.locator('body').press('g')
  await page.keyboard.press('i')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(page.getByRole('heading', { name: 'You’re all caught up' })).toBeVisible()
  await expect(bell).toHaveAccessibleName('Inbox')
  await page.getByRole('radio', { name: 'All' }).click()
  await expect(page.getByRole('link', { name: 'Lamps' })).toBeVisible()

  await client.from('members').delete().eq('library_id', library).eq('user_id', signedIn.id).throwOnError()
  await page.reload()
  await expect(page.getByRole('link', { name: 'Second' })).toBeVisible()
  await expect(page.getByText('Lamps')).toHaveCount(0)
  await client.from('libraries').delete().in('id', [library, second.id]).throwOnError()
})

test('users choose which emails they get, and when', { tag: '@nightly' }, async ({ page, signedIn }) => {
  await page.goto('/settings/profile')
  // The tests' backend has no mail server.
  await expect(page.getByText('This server doesn’t email notifications')).toBeVisible()
  await expect(page.getByLabel('When someone mentions me')).toHaveCount(0)
  await page.route('**/functions/v1/notify', (route) => route.fulfill({ json: { mails: true } }))
  await page.reload()
  await expect(page.getByLabel('When someone mentions me')).toHaveText('Immediately')
  await choose(page.getByLabel('When someone mentions me'), 'On Mondays')
  await choose(page.getByLabel('When a saved search finds something new'), 'Never')
  await choose(page.getByLabel('Time of daily and weekly emails'), /^(18:00|6:00 PM)/)
  const kept = () =>
    signedIn.client.from('notification_settings').select('mention, reply, import, search, hour').maybeSingle()
  await expect
    .poll(async () => (await kept()).data)
    .toEqual({ mention: 'weekly', reply: 'at_once', import: 'daily', search: 'never', hour: 18 })
  await expectAccessible(page, 'profile')
  await page.reload()
  await expect(page.getByLabel('When someone mentions me')).toHaveText('On Mondays')
})
