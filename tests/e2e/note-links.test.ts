import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { backend, expect, test } from './fixtures.ts'

/** As the server's operator; members can't delete a note's pictures. */
async function removePictures(folder: string): Promise<void> {
  const { storage } = createClient(backend.url, backend.secret, { auth: { persistSession: false } })
  const { data, error } = await storage.from('pictures').list(folder)
  if (error) throw error
  const removed = await storage.from('pictures').remove(data.map(({ name }) => `${folder}/${name}`))
  if (removed.error) throw removed.error
}

test('a pasted URL becomes a link with a title or a card, and [[ cites a passage', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const add = async (title: string, body: string) => {
    const { data } = await signedIn.client.rpc('add_note', { library, title, body }).throwOnError()
    return data.id
  }
  const oil = await add('Oils of the north', 'Whales were hunted for their oil. It burns with a bright flame.')
  const gone = `/l/${library}/d/${randomUUID()}`
  const note = await add('Lamps', `[Lost](${gone})\n\nSee [lost too](${gone}) here.`)
  const bodyOf = async () => {
    const { data } = await signedIn.client
      .from('documents')
      .select('state, version:versions!documents_current_version_id_fkey(body)')
      .eq('id', note)
      .single()
      .throwOnError()
    return data.version?.body
  }
  const isRead = async () => {
    const { data } = await signedIn.client.from('documents').select('state').eq('id', oil).single().throwOnError()
    return data.state
  }
  await page.goto(`/l/${library}/d/${note}`)
  await expect(page.getByRole('link', { name: 'Lost It was deleted' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Text of Lamps' })
  await expect(editor.locator('.link-card')).toHaveText(/^LostIt was deleted/)
  await expect(editor.locator('.link-state')).toHaveText('not available')

  const paste = (text: string) =>
    editor.evaluate((element, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  const address = new URL(`/l/${library}/d/${oil}?q=flame`, page.url()).href
  await editor.press('Control+End')
  await editor.pressSequentially(' Also ')
  await paste(address)
  await expect(editor.getByRole('link', { name: 'Oils of the north' })).toBeVisible()
  await editor.pressSequentially(' and')
  await editor.press('Enter')
  await paste(address)
  await expect(editor.locator('.link-card', { hasText: 'Oils of the north' })).toBeVisible()

  // Arrow keys move the caret into the link under the card, and beyond.
  await editor.press('Enter')
  await editor.pressSequentially('End')
  await expect(editor.locator('.card-open')).toHaveCount(0)
  await editor.press('ArrowUp')
  await expect(editor.locator('.card-open')).toHaveCount(1)
  await editor.press('ArrowDown')
  await expect(editor.locator('.card-open')).toHaveCount(0)

  await expect.poll(isRead).toBe('ready')
  await editor.press('Control+End')
  await editor.pressSequentially(': [[bright flame')
  await page.getByRole('option', { name: 'bright flame' }).waitFor()
  await editor.press('Enter')
  await expectAccessible(page, 'cards in the editor')
  await editor.press('Control+Enter')
  await expect(editor).toHaveCount(0)
  const link = `[Oils of the north](/l/${library}/d/${oil}`
  expect(await bodyOf()).toBe(
    `[Lost](${gone})\n\nSee [lost too](${gone}) here. Also ${link}) and\n\n${link})\n\n` +
      `End: “It burns with a bright flame.” (${link}?quote=It+burns+with+a+bright+flame.))`,
  )
  await page.getByRole('article').getByRole('link', { name: 'Oils of the north', exact: true }).last().click()
  await expect(page.getByRole('heading', { name: 'Oils of the north' })).toBeVisible()
  await expect(page).toHaveURL(/quote=/)
})

test('a picture gets alternative text by keyboard, and is shown behind a share link', async ({
  browser,
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Lamps', body: '| Lamp | |\n| - | - |\n| a | b |\n\nA lamp: ' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Text of Lamps' })
  await editor.press('Control+End')
  await editor.evaluate(async (element) => {
    const canvas = new OffscreenCanvas(40, 30)
    canvas.getContext('2d')
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([await canvas.convertToBlob()], 'IMG_1.png', { type: 'image/png' }))
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await editor.getByRole('img', { name: 'IMG 1' }).waitFor()
  await editor.press('Control+End')
  await editor.press('ArrowLeft')
  await page.getByRole('toolbar', { name: 'Picture' }).waitFor()
  await editor.press('Enter')
  const description = page.getByRole('textbox', { name: 'Description of the picture' })
  await expect(description).toBeFocused()
  await description.fill('A green lamp')
  await expectAccessible(page, 'a picture and an empty header in the editor')
  await description.press('Enter')
  await expect(editor.getByRole('img', { name: 'A green lamp' })).toBeVisible()
  await expect(editor).toBeFocused()
  await editor.press('Control+Enter')
  await expect(editor).toHaveCount(0)
  const { count } = await signedIn.client.from('documents').select('*', { count: 'exact', head: true }).throwOnError()
  expect(count, 'the picture is not a separate document').toBe(1)
  await expectAccessible(page, 'a picture and an empty header in the reader')

  const { data: link } = await signedIn.client.rpc('create_share_link', { document: note.id }).throwOnError()
  const context = await browser.newContext()
  const visitor = await context.newPage()
  await visitor.goto(`/s/${(link as { token: string }).token}`)
  const picture = visitor.getByRole('img', { name: 'A green lamp' })
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(40)
  await removePictures(`${library}/${note.id}`)
  await visitor.reload()
  await expect(picture).toBeVisible()
  await expect(picture).not.toHaveAttribute('src')
  await context.close()
})
