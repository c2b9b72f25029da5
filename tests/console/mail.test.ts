import type { Stack } from '../../undock/src/runtime/stack.ts'
import { expectAccessible } from './accessibility.ts'
import { expect, HOSTILE, TRACKER, test } from './fixtures.ts'

type Outgoing = {
  readonly subject: string
  readonly text?: string
  readonly html?: string
}

/** Sends a mail as an app would. */
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

test('a mail arrives by itself, with its code and link on top; it is read, searched and deleted', async ({
  page,
  context,
  backend,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/mail')
  await expect(page.getByRole('heading', { name: 'There are no mails' })).toBeVisible()
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
  await expect(page.getByRole('region', { name: 'The source of the mail' })).toContainText(
    'Subject: Confirm your address',
  )

  await page.getByLabel('Search mails').fill('subject:welcome')
  await expect(list.getByRole('link')).toHaveCount(1)
  await list.getByRole('link', { name: /Welcome/ }).click()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await expect(page.getByRole('region', { name: 'The mail as text' })).toContainText('Hello Ada')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(list.getByText('No mail is found')).toBeVisible()
  await page.getByLabel('Search mails').fill('')
  await page.getByRole('button', { name: 'Delete all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click()
  await expect(page.getByRole('heading', { name: 'There are no mails' })).toBeVisible()
})

test('a hostile mail runs nothing and loads nothing', async ({ page, backend }) => {
  const asked: string[] = []
  // Requests that the policy blocks do not come so far.
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
  const frame = page.frameLocator('iframe[title="The mail as HTML"]')
  const shown = frame.getByText('Shown text')
  await expect(shown).toBeVisible()
  await expect(shown).toHaveCSS('color', 'rgb(1, 2, 3)')
  await frame.getByRole('link', { name: 'link' }).click()
  await frame.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Images of other servers are not loaded.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Codes and links' }).getByRole('link')).toHaveCount(1)
  await expect(shown).toBeVisible()
  expect(asked).toEqual([])
})
