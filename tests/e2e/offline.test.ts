import type { Page } from '@playwright/test'
import { enter, expect, PASSWORD, signIn, test } from './fixtures.ts'

test.use({ serviceWorkers: 'allow' })

/** Everything that the browser has stored for the app: cookies, Web Storage, IndexedDB and Cache Storage. */
async function storedIn(page: Page): Promise<string> {
  const inPage = await page.evaluate(async () => {
    const finished = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }]
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await finished(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        const reading = database.transaction(store).objectStore(store)
        found.push(name, store, await finished(reading.getAllKeys()), await finished(reading.getAll()))
      }
      database.close()
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) found.push(request.url, await (await cache.match(request))?.text())
    }
    return JSON.stringify(found)
  })
  return inPage + JSON.stringify(await page.context().cookies())
}

test('opened documents can be read offline, even after a reload, until signing out', async ({
  page,
  context,
  signedIn,
  library,
}) => {
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Kept note', body: 'Words to keep.' })
    .throwOnError()
  await page.reload()
  await page.getByRole('article', { name: 'Kept note' }).getByRole('link', { name: 'Kept note' }).click()
  await expect(page.getByText('Words to keep.')).toBeVisible()
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  // The cache is written to disk within a second. The shelf has these words, too, so wait for the document itself.
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          new Promise<string>((resolve) => {
            const opening = indexedDB.open('carrel')
            opening.onsuccess = () => {
              const reading = opening.result.transaction('kept').objectStore('kept').get('cache')
              reading.onsuccess = () => resolve(JSON.stringify(reading.result ?? null))
            }
          }),
      ),
    )
    .toContain(`"${note.id}","itself"]`)
  await context.setOffline(true)
  await page.reload()
  await expect(page.getByText('Words to keep.')).toBeVisible()
  await expect(page.getByText('You’re offline. What you have read stays readable.')).toBeVisible()
  await page.goto(`/l/${library}`)
  await expect(page.getByRole('article', { name: 'Kept note' })).toBeVisible()
  await page.goto(`/l/${library}/insights`)
  await expect(page.getByRole('heading', { name: 'You’re offline' })).toBeVisible()

  await context.setOffline(false)
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  for (const secret of ['Kept note', 'Words to keep', library, note.id, signedIn.id, signedIn.email, signedIn.name])
    await expect.poll(() => storedIn(page), secret).not.toContain(secret)
})

test('a collection kept on a device can be read offline, even if it was never opened', {
  tag: '@nightly',
}, async ({ page, context, signedIn, library }) => {
  const { data: collection } = await signedIn.client
    .from('collections')
    .insert({ library_id: library, name: 'Logs' })
    .select('id')
    .single()
    .throwOnError()
  const inside = { library, collection: collection.id }
  for (const number of [1, 2])
    await signedIn.client.rpc('add_note', { ...inside, title: `Log ${number}`, body: `Oil ${number}` }).throwOnError()
  const path = `${library}/${crypto.randomUUID()}/lamps.txt`
  await signedIn.client.storage.from('documents').upload(path, 'A file about wicks.', { contentType: 'text/plain' })
  await signedIn.client
    .rpc('add_file', { ...inside, document: path.split('/')[1] ?? '', path, file_name: 'lamps.txt', title: 'Lamps' })
    .throwOnError()
  await page.goto(`/l/${library}?collection=${collection.id}`)
  await page.getByRole('button', { name: 'Keep offline' }).click()
  await expect(page.getByRole('button', { name: 'Available offline' })).toBeVisible()
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  // The cache is written to disk within a second.
  await page.waitForTimeout(2000)
  await context.setOffline(true)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Available offline' })).toBeVisible()
  await page.getByRole('link', { name: 'Log 2' }).click()
  await expect(page.getByText('Oil 2')).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Lamps' }).click()
  await expect(page.getByText('A file about wicks.')).toBeVisible()

  await context.setOffline(false)
  await page.goto(`/l/${library}?collection=${collection.id}`)
  await page.getByRole('button', { name: 'Available offline' }).click()
  await page.getByRole('menuitem', { name: 'Remove from this device' }).click()
  await expect(page.getByRole('button', { name: 'Keep offline' })).toBeVisible()
  await expect.poll(() => page.evaluate(async () => (await (await caches.open('files-pinned')).keys()).length)).toBe(0)
})

test('offline changes wait and are sent once online', async ({ page, context, signedIn, library }) => {
  await page.goto(`/l/${library}/settings`)
  await page.getByLabel('Name', { exact: true }).fill('Named without network')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('One change is waiting')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  const { data } = await signedIn.client.from('libraries').select('name').eq('id', library).single().throwOnError()
  expect(data.name).toBe('Named without network')
})

test('without a network interface a local backend works as usual', {
  tag: '@nightly',
}, async ({ page, mailbox, newAddress }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }))
  await page.goto('/sign-up')
  await page.getByLabel('Your name').fill('Grace Hopper')
  await page.getByLabel('Email').fill(newAddress)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.goto((await mailbox.nextTo(newAddress)).link)
  await page.getByRole('button', { name: 'Confirm and continue' }).click()
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()
  await page.getByRole('button', { name: 'New library' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Lamps')
  await page.getByRole('button', { name: 'Create library' }).click()
  await expect(page.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()
  await page.goto(`${page.url()}/settings`)
  await page.getByLabel('Name', { exact: true }).fill('Renamed without a network')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
})

test('the next user of a browser sees nothing of the previous one', async ({ page, signedIn, another, library }) => {
  expect(signedIn.id).not.toBe(another.id)
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(page, another)
  await expect(page.getByText('Reading group')).toHaveCount(0)
  await page.goto(`/l/${library}`)
  await expect(page.getByRole('heading', { name: 'There’s nothing here' })).toBeVisible()
})

test('offline changes survive closing the page and arrive once', { tag: '@nightly' }, async ({
  page,
  context,
  signedIn,
  library,
}) => {
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'A lamp', body: 'It burns.' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.getByText('It burns.')).toBeVisible()
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await context.setOffline(true)
  await page.getByLabel('Comment on the document').fill('Who trims the wick?')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await expect(page.getByText('One change is waiting')).toBeVisible()
  await page.reload()
  await expect(page.getByText('One change is waiting')).toBeVisible()
  await page.goto(`/l/${library}`)
  await expect(page.getByText('One change is waiting')).toBeVisible()

  // The response is lost: the request is repeated, and there is still only one comment.
  let sent = 0
  await page.route('**/rest/v1/comments**', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    sent += 1
    if (sent > 1) return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await context.setOffline(false)
  await expect.poll(() => sent).toBe(2)
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.getByText('Who trims the wick?')).toBeVisible()
  await expect(page.getByText('is waiting')).toHaveCount(0)
  const { data } = await signedIn.client.from('comments').select('body').eq('document_id', note.id).throwOnError()
  expect(data).toEqual([{ body: 'Who trims the wick?' }])
})

/** Removes the app's files that the page hasn't loaded, as if the network had been lost before they were stored. */
const forgetUnusedFiles = (page: Page) =>
  page.evaluate(async () => {
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys())
        if (request.url.endsWith('.js') && !loaded.includes(request.url)) await cache.delete(request)
    }
  })

test('a note created offline arrives with its text', async ({ page, context, signedIn, library }) => {
  const { data: note } = await signedIn.client.rpc('add_note', { library, body: 'A lamp' }).throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await page.getByRole('link', { name: 'Shelf' }).click()
  await page.getByRole('article', { name: 'A lamp' }).waitFor()
  await context.setOffline(true)
  await forgetUnusedFiles(page)
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: 'Text of Untitled' }).pressSequentially('Written on a train\nFar away.')
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(page.getByText(/changes? (?:is|are) waiting/)).toBeVisible()
  await expect(page.locator('.prose').getByText('Far away.')).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: signedIn.name })).toBeVisible()
  await context.setOffline(false)
  const stored = async () => {
    const { data } = await signedIn.client
      .from('documents')
      .select('title, version:versions!documents_current_version_id_fkey(body)')
      .eq('library_id', library)
      .neq('id', note.id)
      .throwOnError()
    return data
  }
  await expect
    .poll(stored)
    .toEqual([{ title: 'Written on a train', version: { body: '# Written on a train\n\nFar away.' } }])
  await expect(page.getByText(/changes? (?:is|are) waiting/)).toHaveCount(0)
  await expect(page.locator('.prose').getByText('Far away.')).toBeVisible()
})

/** Milliseconds after the shelf is shown for the first time. */
const CUTS = process.env.NIGHTLY ? Array.from({ length: 8 }, () => Math.random() * 10_000) : [0]

test('after a connection loss at any time, a note opens or the page says why not', async ({
  browser,
  person,
  signedIn,
}) => {
  expect(signedIn.id).toBe(person.id)
  for (const cut of CUTS)
    await test.step(`after ${Math.round(cut)} ms`, async () => {
      // Only an empty library has this button.
      const { data: library } = await signedIn.client.rpc('create_library', { name: 'Cut' }).throwOnError()
      const context = await browser.newContext({ serviceWorkers: 'allow' })
      const page = await context.newPage()
      await enter(page, person)
      await page.goto(`/l/${library.id}`)
      await page.getByRole('button', { name: 'Write a note' }).waitFor()
      await page.waitForTimeout(cut)
      await context.setOffline(true)
      await page.getByRole('button', { name: 'Write a note' }).click()
      const editor = page.getByRole('textbox', { name: 'Text of Untitled' })
      const notStored = page.getByText('This page isn’t stored on this device yet')
      await expect(editor.or(notStored).first()).toBeVisible()
      const isStored = await page.evaluate(() => navigator.serviceWorker.controller !== null)
      if (isStored) await expect(editor).toBeVisible()
      await context.setOffline(false)
      await expect(notStored).toHaveCount(0)
      await expect
        .poll(async () => {
          const query = signedIn.client.from('documents').select('id').eq('library_id', library.id)
          return (await query.throwOnError()).data.length
        })
        .toBeGreaterThan(0)
      await context.close()
    })
})

test('a note changed by two users, one of them offline, keeps both texts', { tag: '@nightly' }, async ({
  page,
  context,
  signedIn,
  library,
}) => {
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'A lamp', body: 'It burns.' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Text of A lamp' })
  await text.waitFor()
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await context.setOffline(true)
  await text.press('Control+a')
  await text.pressSequentially('It burns without network.')
  await text.press('Control+s')
  await expect(page.getByText(/changes? (?:is|are) waiting/)).toBeVisible()
  const { data: before } = await signedIn.client
    .from('documents')
    .select('current_version_id')
    .eq('id', note.id)
    .single()
    .throwOnError()
  await signedIn.client
    .rpc('save_note', { document: note.id, body: 'It is out.', based_on: before.current_version_id ?? '' })
    .throwOnError()
  await page.reload()
  await expect(page.getByText(/changes? (?:is|are) waiting/)).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('Someone else saved a note that you changed offline')).toBeVisible()
  await expect(page.getByText('It is out.')).toBeVisible()
  await page.getByText('Unpublished draft').waitFor()
  await page.getByRole('button', { name: 'Compare both texts' }).click()
  await expect(page.getByRole('heading', { name: 'Someone else changed the same text' })).toBeVisible()
  await page.getByRole('button', { name: 'Save mine as the latest' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(page.getByText('It burns without network.')).toBeVisible()
  await expect(page.getByText('isn’t saved yet')).toHaveCount(0)
})

test('a note opened offline for the first time is edited and merged later', {
  tag: '@nightly',
}, async ({ page, context, signedIn, library }) => {
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'A lamp', body: 'First.\n\nMiddle.\n\nLast.' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.getByText('Middle.')).toBeVisible()
  // The worker serves the page after the reload; the editor is preloaded.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Text of A lamp' })
  await text.press('Control+End')
  await text.pressSequentially(' Mine.')
  await text.press('Control+s')
  await expect(page.getByText(/changes? (?:is|are) waiting/)).toBeVisible()
  await signedIn.client
    .rpc('save_note', {
      document: note.id,
      body: 'Theirs. First.\n\nMiddle.\n\nLast.',
      based_on: note.current_version_id ?? '',
    })
    .throwOnError()
  await page.reload()
  await expect(page.getByText('It will be sent when you’re online.')).toBeVisible()
  // The response to the merged text is lost: it's repeated, and there is still only one such version.
  let lost = false
  await page.route('**/rest/v1/rpc/save_note_state', async (route) => {
    const response = await route.fetch()
    if (lost || !response.ok()) return route.fulfill({ response })
    lost = true
    return route.abort('connectionreset')
  })
  await context.setOffline(false)
  await expect(page.getByText('Last. Mine.')).toBeVisible()
  await expect(page.getByText('Theirs. First.')).toBeVisible()
  await expect(page.getByText(/changes? (?:is|are) waiting/)).toHaveCount(0)
  const { count } = await signedIn.client
    .from('versions')
    .select('id', { count: 'exact', head: true })
    .eq('document_id', note.id)
    .throwOnError()
  expect([lost, count]).toEqual([true, 3])
})
