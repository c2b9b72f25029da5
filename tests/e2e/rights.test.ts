import { readFile } from 'node:fs/promises'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { backend, choose, enter, expect, PASSWORD, type Person, test } from './fixtures.ts'

async function noteOf(person: Person, library: string, title: string, collection?: string): Promise<string> {
  const note = { library, title, body: `# ${title}\n\nA lamp that is ${title}.` }
  const { data } = await person.client.rpc('add_note', collection ? { ...note, collection } : note).throwOnError()
  return data.id
}

test('an owner invites a new user by email, who sets a name and password and is welcomed', async ({
  browser,
  page,
  library,
  mailbox,
  newAddress,
}) => {
  const invited = `invited-${newAddress}`
  await page.goto(`/l/${library}/members`)
  await page.getByLabel('Invite by email').fill(invited)
  await choose(page.getByLabel('Role', { exact: true }), /^Editor/)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(page.getByText(`${invited} is invited, and we’ve sent them an email.`)).toBeVisible({ timeout: 120_000 })
  const link = await page.getByLabel('Invitation link').inputValue()
  await expect(page.getByRole('region', { name: 'Invited, not here yet' }).getByText(invited)).toBeVisible()

  const mail = await mailbox.nextTo(invited)
  expect(mail.text).toContain('Ada Lovelace invites you to the library “Reading group”, as editor.')
  const tab = await (await browser.newContext()).newPage()
  await tab.goto(mail.link)
  await expect(tab.getByText('Ada Lovelace invites you to read, add and change in Reading group.')).toBeVisible()
  await expectAccessible(tab, 'invitation')
  await tab.getByLabel('Your name').fill('Grace Hopper')
  await tab.getByLabel('Password', { exact: true }).fill('too short')
  await tab.getByRole('button', { name: 'Join' }).click()
  await expect(tab.getByRole('alert')).toContainText('at least 10 characters')
  await tab.getByLabel('Password', { exact: true }).fill(PASSWORD)
  // Signing up resumes after a reload, with the same link.
  await tab.route('**/auth/v1/user', (route) => route.abort())
  await tab.getByRole('button', { name: 'Join' }).click()
  await expect(tab.getByRole('alert')).toContainText('Can’t reach the server')
  await tab.unroute('**/auth/v1/user')
  await tab.reload()
  await tab.getByLabel('Your name').fill('Grace Hopper')
  await tab.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await tab.getByRole('button', { name: 'Join' }).click()
  const welcome = tab.getByRole('region', { name: 'Welcome to Reading group' })
  await expect(welcome.getByText('2 people')).toBeVisible()
  await expectAccessible(tab, 'welcome')
  await expect(page.getByRole('list', { name: 'Members' }).getByText('Grace Hopper')).toBeVisible()
  await welcome.getByRole('button', { name: 'Got it' }).click()
  await expect(welcome).toHaveCount(0)
  await tab.reload()
  await expect(tab.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()
  await expect(welcome).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Invited, not here yet' })).toHaveCount(0)
  await tab.goto(link)
  await expect(tab.getByText('This invitation has been used. It works once.')).toBeVisible()
  await tab.context().close()
})

test('an invitation works only for its address, until it expires or is withdrawn', { tag: '@nightly' }, async ({
  browser,
  page,
  library,
  another,
}) => {
  await page.goto(`/l/${library}/members`)
  await page.getByLabel('Invite by email').fill('somebody-else@example.org')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = await page.getByLabel('Invitation link').inputValue({ timeout: 120_000 })

  const tab = await (await browser.newContext()).newPage()
  await tab.goto(link)
  await expect(tab.getByText('It’s for somebody-else@example.org.')).toBeVisible()
  await tab.getByRole('link', { name: 'Sign in' }).click()
  await tab.getByLabel('Email').fill(another.email)
  await tab.getByLabel('Password', { exact: true }).fill(another.password)
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(tab.getByText(`but you’re signed in as ${another.email}`)).toBeVisible()
  await expect(tab.getByRole('button', { name: 'Join' })).toHaveCount(0)

  const admin = createClient(backend.url, backend.secret, { auth: { persistSession: false } })
  await admin
    .from('invitations')
    .update({ expires_at: new Date().toISOString() })
    .eq('library_id', library)
    .throwOnError()
  await tab.reload()
  await tab.getByRole('button', { name: 'Ask for a new one' }).click()
  await expect(tab.getByText('We asked an owner of the library for you.')).toBeVisible()
  await expect(page.getByText('new link requested')).toBeVisible()

  await page.getByRole('button', { name: 'Withdraw the invitation of somebody-else@example.org' }).click()
  await expect(page.getByRole('region', { name: 'Invited, not here yet' })).toHaveCount(0)
  await tab.reload()
  await expect(tab.getByRole('heading', { name: 'This invitation does not exist' })).toBeVisible()
  await tab.context().close()
})

test('roles are changed, members removed, and the last owner cannot leave', async ({
  page,
  signedIn,
  another,
  library,
}) => {
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  await page.goto(`/l/${library}/members`)
  await page.getByRole('button', { name: 'Ada Lovelace: owner' }).click()
  await page.getByRole('menuitemradio', { name: /^Reader/ }).click()
  await expect(page.getByText('A library needs at least one owner.')).toBeVisible()

  await page.getByRole('button', { name: 'Mary Somerville: reader' }).click()
  await page.getByRole('menuitemradio', { name: /^Editor/ }).click()
  await page.getByRole('button', { name: 'Mary Somerville: editor' }).click()
  await page.getByRole('menuitem', { name: 'Remove from the library' }).click()
  await expect(page.getByRole('list', { name: 'Members' }).getByText('Mary Somerville')).toHaveCount(0)
  const { data: left } = await another.client.from('libraries').select('id').throwOnError()
  expect(left).toEqual([])
})

test('a guest sees only the shared collection', { tag: '@nightly' }, async ({
  browser,
  page,
  signedIn,
  another,
  library,
  mailbox,
}) => {
  const { data: collection } = await signedIn.client
    .from('collections')
    .insert({ library_id: library, name: 'Open shelf' })
    .select('id')
    .single()
    .throwOnError()
  const open = await noteOf(signedIn, library, 'open to guests', collection.id)
  const secret = await noteOf(signedIn, library, 'not for guests')
  await page.goto(`/l/${library}/members`)
  await page.getByLabel('Invite by email').fill(another.email)
  await choose(page.getByLabel('Role', { exact: true }), /^Guest/)
  await expect(page.getByLabel('Collection', { exact: true })).toHaveText('Open shelf')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = await page.getByLabel('Invitation link').inputValue({ timeout: 120_000 })
  expect((await mailbox.nextTo(another.email)).text).toContain(
    'Ada Lovelace opens the collection “Open shelf” of the library “Reading group” to you.',
  )
  const { data: account } = await another.client.auth.getUser()
  expect(account.user?.user_metadata).not.toHaveProperty('invitation')

  const tab = await (await browser.newContext()).newPage()
  await enter(tab, another)
  await tab.goto(link)
  await expect(tab.getByText('gives you access to “Open shelf” in Reading group')).toBeVisible()
  await tab.getByRole('button', { name: 'Join' }).click()
  await expect(tab.getByRole('article', { name: 'open to guests' })).toBeVisible()
  await expect(tab.getByRole('article')).toHaveCount(1)
  await tab.goto(`/l/${library}/d/${secret}`)
  await expect(tab.getByRole('heading', { name: 'There’s nothing here' })).toBeVisible()
  await tab.goto(`/l/${library}/d/${open}`)
  await expect(tab.getByRole('heading', { name: 'open to guests' }).first()).toBeVisible()

  await page.goto(`/l/${library}/d/${open}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(page.getByRole('dialog').getByText('through “Open shelf”')).toBeVisible()
  await page.goto(`/l/${library}/members`)
  await page.getByRole('button', { name: 'Revoke Mary Somerville’s access to “Open shelf”' }).click()
  await tab.goto(`/l/${library}/d/${open}`)
  await expect(tab.getByRole('heading', { name: 'There’s nothing here' })).toBeVisible()
  await tab.context().close()
})

test('a shared document can be read without an account, until its link is revoked', async ({
  browser,
  page,
  signedIn,
  library,
}) => {
  const note = await noteOf(signedIn, library, 'worth sharing')
  await page.goto(`/l/${library}/d/${note}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Who can see “worth sharing”' })
  await choose(dialog.getByLabel('How long the link works'), 'for a day')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Share link').inputValue()

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(link)
  await expect(stranger.getByText('A lamp that is worth sharing.')).toBeVisible()
  await expect(stranger.getByText('Only this document is open to you.')).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(dialog.getByText('opened once')).toBeVisible()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(dialog.getByText(/^revoked on/)).toBeVisible()
  await stranger.reload()
  await expect(stranger.getByRole('heading', { name: 'This link shows nothing' })).toBeVisible()
  await stranger.goto('/s/guess')
  await expect(stranger.getByRole('heading', { name: 'This link shows nothing' })).toBeVisible()
  await stranger.context().close()
})

test('a shared web page is shown as its readable copy, and the original can be downloaded', {
  tag: '@nightly',
}, async ({ browser, page, signedIn, library }) => {
  const lines = ['Trim the wick before dusk.', 'Fill the tank to the mark.', 'Wind the clockwork every four hours.']
  const steps = lines.map(
    (line) => `<li>${line} ${'The keeper writes each round into the log of the station. '.repeat(4)}</li>`,
  )
  const source = `<!doctype html><title>Keeping the light</title><nav><a href="/">Home</a></nav>
    <article><h1>Keeping the light</h1><h2>Every evening</h2><ol>${steps.join('')}</ol></article><footer>Imprint</footer>`
  await page
    .getByLabel('Files to add')
    .setInputFiles({ name: 'light.html', mimeType: 'text/html', buffer: Buffer.from(source) })
  const card = page.getByRole('article', { name: 'Keeping the light' })
  await expect(card).toBeVisible({ timeout: 120_000 })
  await expect(card.getByRole('progressbar')).toHaveCount(0)
  const { data: document } = await signedIn.client.from('documents').select('id').eq('library_id', library).single()
  const { data: link } = await signedIn.client.rpc('create_share_link', { document: document?.id ?? '' }).throwOnError()

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(`/s/${(link as { token: string }).token}`)
  await expect(stranger.getByRole('heading', { name: 'Keeping the light' })).toBeVisible()
  const copy = stranger.frameLocator('main iframe')
  await expect(copy.getByRole('heading', { name: 'Every evening' })).toBeVisible()
  await expect(copy.getByRole('listitem')).toHaveText(lines.map((line) => new RegExp(line)))
  await expect(copy.getByText('Imprint')).toHaveCount(0)
  const downloading = stranger.waitForEvent('download')
  await stranger.getByRole('button', { name: 'Download' }).click()
  expect(await readFile(await (await downloading).path(), 'utf8')).toBe(source)
  await stranger.context().close()
})

test('a library is renamed, and deleted only after typing its name', { tag: '@nightly' }, async ({ page, library }) => {
  await page.goto(`/l/${library}/settings`)
  await page.getByLabel('Name', { exact: true }).fill('Lamp room')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('complementary', { name: 'This library' }).getByText('Lamp room')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Require a second factor from all members' })).toBeDisabled()

  await page.getByRole('button', { name: 'Delete this library…' }).click()
  await page.getByLabel('Type its name to continue').fill('Lamp')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('The name doesn’t match. The library is called Lamp room.')).toBeVisible()
  await page.getByLabel('Type its name to continue').fill('Lamp room')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('“Lamp room” was deleted')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()
})

test('the activity list marks new entries, can be filtered by owners, and hides owners’ entries from readers', async ({
  page,
  signedIn,
  another,
  library,
}) => {
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'editor' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  await noteOf(another, library, 'news')
  await page.goto(`/l/${library}/activity`)
  const added = page.getByRole('listitem').filter({ hasText: 'added “news”' })
  await expect(added.getByText('new', { exact: true })).toBeVisible()
  await expect(page.getByText(`invited ${another.email} as editor`)).toBeVisible()
  await choose(page.getByLabel('What'), 'Documents')
  await expect(added).toBeVisible()
  await expect(page.getByText(`invited ${another.email} as editor`)).toHaveCount(0)
  await expect(page).toHaveURL(/area=documents/)
  await page.goto(`/l/${library}/activity?since=2001-01-01&until=2001-01-02`)
  await expect(page.getByRole('heading', { name: 'No matching entries' })).toBeVisible()
  await page.goto(`/l/${library}/activity`)
  await expect(added).toBeVisible()
  await expect(added.getByText('new', { exact: true })).toHaveCount(0)

  const { data: seen } = await another.client
    .from('activity')
    .select('verb')
    .like('verb', 'invitation.%')
    .throwOnError()
  expect(seen).toEqual([])
})

test('insights are shown as charts and as tables', { tag: '@nightly' }, async ({ page, signedIn, library }) => {
  await page.goto(`/l/${library}/insights`)
  await expect(page.getByRole('heading', { name: 'No figures yet' })).toBeVisible()
  await noteOf(signedIn, library, 'one')
  await noteOf(signedIn, library, 'two')
  await page.reload()
  const growth = page.getByRole('region', { name: 'Growth' })
  await expect(
    growth
      .getByRole('img', { name: /Number of documents by week/ })
      .locator('svg')
      .first(),
  ).toBeVisible()
  await growth.getByRole('button', { name: 'As a table' }).click()
  await expect(growth.getByRole('row').last()).toContainText('2')
})

test('share links and guest access reveal nothing of a library that requires a second factor', async ({
  signedIn,
  library,
}) => {
  const note = await noteOf(signedIn, library, 'locked')
  const { data: link } = await signedIn.client.rpc('create_share_link', { document: note }).throwOnError()
  const service = createClient(backend.url, backend.secret, { auth: { persistSession: false } })
  await service.from('libraries').update({ require_second_factor: true }).eq('id', library).throwOnError()
  const visitor = createClient(backend.url, backend.publishable, { auth: { persistSession: false } })
  const { data } = await visitor.rpc('open_share_link', { token: (link as { token: string }).token }).throwOnError()
  expect(data).toEqual([])
  await service.from('libraries').update({ require_second_factor: false }).eq('id', library).throwOnError()
})
