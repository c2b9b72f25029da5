import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** Pastes texts by media type, with a picture as browsers and office programs copy it. */
const paste = (target: Locator, texts: Readonly<Record<string, string>>, withPicture: boolean) =>
  target.evaluate(
    async (element, { texts, withPicture }) => {
      const clipboardData = new DataTransfer()
      for (const [type, text] of Object.entries(texts)) clipboardData.setData(type, text)
      const canvas = new OffscreenCanvas(40, 30)
      canvas.getContext('2d')
      if (withPicture)
        clipboardData.items.add(new File([await canvas.convertToBlob()], 'image.png', { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    { texts, withPicture },
  )

test('text of office programs is pasted without their picture of it, and undone alone', async ({ page, library }) => {
  expect(library).toBeTruthy()
  const uploads = page.getByRole('region', { name: 'Uploads' })
  const html = '<p>Oil and <b>wicks</b></p>'
  await paste(page.locator('body'), { 'text/plain': 'Oil and wicks', 'text/html': html }, true)
  const editor = page.getByRole('textbox', { name: /^Text of / })
  await expect(editor).toHaveText('Oil and wicks')
  await expect(editor.getByRole('strong')).toHaveText('wicks')
  await expect(uploads).toBeHidden()

  await editor.press('Control+End')
  await editor.pressSequentially(' typed, ')
  await paste(editor, { 'text/plain': 'pasted', 'text/html': '<b>pasted</b>' }, true)
  await expect(editor).toHaveText('Oil and wicks typed, pasted')
  await editor.press('Control+z')
  await expect(editor).toHaveText('Oil and wicks typed, ')

  // A picture that was copied on a web page.
  await paste(editor, { 'text/html': '<img src="https://example.org/lamp.png">' }, true)
  const picture = editor.getByRole('img', { name: 'image' })
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(40)
  await expect(uploads).toBeHidden()
})
