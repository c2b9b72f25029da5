import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stack } from '../../src/runtime/stack/stack.ts'
import { expectAccessible } from './accessibility.ts'
import { expect, HOSTILE, TRACKER, test } from './fixtures.ts'

type Outgoing = {
  readonly subject: string
  readonly text?: string
  readonly html?: string
}

/** Sends an email like an app would. */
async function send(stack: Stack, mail: Outgoing): Promise<void> {
  const response = await fetch(`${stack.mailUrl}/api/v1/send`, {
    method: 'POST',
    body: JSON.stringify({
      From: { Email: 'app@example.com', Name: 'The app' },
      To: [{ Email: 'ada@example.com' }],
      Subject: mail.subject,
      Text: mail.text ?? '',
      HTML: mail.html ?? '',
    }),
  })
  expect(response.status).toBe(200)
}

test.beforeEach(async ({ backend }) => {
  await fetch(`${backend.stack.mailUrl}/api/v1/messages`, { method: 'DELETE' })
})

test('shows a new email with its code and link on top; reads, searches and deletes it', async ({
  page,
  context,
  backend,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/mail')
  await expect(page.getByRole('heading', { name: 'No emails yet' })).toBeVisible()
  await send(backend.stack, {
    subject: 'Confirm your address',
    html: '<p>Your code is 424242.</p><p><a href="http://localhost:3000/confirm?token=abc">Confirm</a></p>',
    text: 'Your code is 424242. http://localhost:3000/confirm?token=abc',
  })
  await send(backend.stack, { subject: 'Welcome', text: 'Hello Ada' })
  const list = page.getByRole('navigation', { name: 'Mails' })
  await expect(list.getByRole('link')).toHaveCount(2)
  await list.getByRole('link', { name: /Confirm your address/ }).click()
  const found = page.getByRole('list', { name: 'Codes and links' })
  await expect(found.getByRole('link', { name: 'Open Confirm in a new tab' })).toHaveAttribute(
    'href',
    'http://localhost:3000/confirm?token=abc',
  )
  await found.getByRole('button', { name: 'Copy the code 424242' }).click()
  await expect(found.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('424242')
  await expect(page.frameLocator('iframe').getByText('Your code is 424242.')).toBeVisible()
  await expect(page.getByText('2 mails, 1 unread')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Source' }).click()
  await expect(page.getByRole('region', { name: 'The source of the email' })).toContainText(
    'Subject: Confirm your address',
  )

  await page.getByLabel('Search emails').fill('subject:welcome')
  await expect(list.getByRole('link')).toHaveCount(1)
  await list.getByRole('link', { name: /Welcome/ }).click()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await expect(page.getByRole('region', { name: 'The email as text' })).toContainText('Hello Ada')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(list.getByText('No matching emails')).toBeVisible()
  await page.getByLabel('Search emails').fill('')
  await page.getByRole('button', { name: 'Delete all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click()
  await expect(page.getByRole('heading', { name: 'No emails yet' })).toBeVisible()
})

test('a hostile email runs nothing and loads nothing', async ({ page, backend }) => {
  const asked: string[] = []
  // Requests blocked by the policy aren't sent.
  await page.route(`http://${TRACKER}/**`, (route) => {
    asked.push(route.request().url())
    return route.abort()
  })
  await send(backend.stack, {
    subject: HOSTILE,
    text: `javascript:alert(1) ${HOSTILE}`,
    html: `<html><head><meta http-equiv="refresh" content="0;url=http://${TRACKER}/refresh">
      <link rel="stylesheet" href="http://${TRACKER}/style.css"><style>body { background: url(http://${TRACKER}/css) }
      @import "http://${TRACKER}/import.css"; p { color: rgb(1, 2, 3) }</style></head>
      <body onload="top.stolen = 1"><script>top.stolen = 1</script><img src="http://${TRACKER}/pixel" onerror="top.stolen = 1">
      <p>Shown text</p><a href="javascript:top.stolen = 1">run</a><a href="http://${TRACKER}/link">link</a>
      <iframe src="http://${TRACKER}/frame"></iframe><form action="http://${TRACKER}/form"><button>Send</button></form></body></html>`,
  })
  await page.goto('/mail')
  await page.getByRole('navigation', { name: 'Mails' }).getByRole('link').click()
  const frame = page.frameLocator('iframe[title="The email as HTML"]')
  const shown = frame.getByText('Shown text')
  await expect(shown).toBeVisible()
  await expect(shown).toHaveCSS('color', 'rgb(1, 2, 3)')
  await frame.getByRole('link', { name: 'link' }).click()
  await frame.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Images from other servers are not loaded.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Codes and links' }).getByRole('link')).toHaveCount(1)
  await expect(shown).toBeVisible()
  expect(asked).toEqual([])
})

test('writes a template to the file named in config.toml, and the next email uses it', {
  tag: '@nightly',
}, async ({ page, backend: { stack, folder } }) => {
  await page.goto('/project/default/auth/templates')
  await page.getByRole('link', { name: /^Magic link default/ }).click()
  const frame = page.frameLocator('iframe[title="The email with sample values"]')
  await expect(frame.getByText('This link signs you in')).toBeVisible()
  await page.getByLabel('HTML').fill('<p>{{ if .Email }}</p>')
  await expect(page.getByRole('alert')).toContainText('{{if .Email}} has no {{end}}')
  await page
    .getByLabel('HTML')
    .fill(`<p>Hi {{ .Email }}, take {{ .Token }}</p><img src="http://${TRACKER}/pixel" onerror="top.stolen = 1">
<script>top.stolen = 1</script>`)
  await page.getByLabel('Subject').fill('Your way in')
  await expect(frame.getByText('Hi ada@example.com, take 123456')).toBeVisible()
  await expect(page.getByRole('alert')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Send me one' })).toBeDisabled()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Save …' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('region', { name: 'supabase/config.toml' })).toContainText(
    '+ content_path = "./supabase/templates/magic_link.html"',
  )
  await expectAccessible(page, 'the difference')
  await dialog.getByRole('button', { name: 'Write' }).click()
  await expect(page.getByRole('link', { name: 'Magic link supabase/templates/magic_link.html' })).toBeVisible()
  const config = await readFile(join(folder, 'supabase', 'config.toml'), 'utf8')
  expect(config).toContain('[auth.email.template.magic_link]\nsubject = "Your way in"\n')
  expect(await readFile(join(folder, 'supabase', 'templates', 'magic_link.html'), 'utf8')).toContain(
    'take {{ .Token }}',
  )

  await page.getByLabel('Send a sample to').fill('me@example.com')
  await page.getByRole('button', { name: 'Send me one' }).click()
  await expect(page.getByText('A sample is sent to me@example.com.')).toBeVisible()
  // A requested email with its own token.
  const response = await fetch(`${stack.url}/auth/v1/otp`, {
    method: 'POST',
    headers: { apikey: stack.identity.keys.publishable, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'eve@example.com' }),
  })
  expect(response.status).toBe(200)
  await page.getByRole('link', { name: 'Inbox' }).click()
  const list = page.getByRole('navigation', { name: 'Mails' })
  await expect(list.getByRole('link', { name: /me@example\.com.*Your way in/ })).toContainText('take 123456')
  await expect(list.getByRole('link', { name: /eve@example\.com.*Your way in/ })).toContainText(/take \d{6}/)
})
