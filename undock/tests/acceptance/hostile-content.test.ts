import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'
import { endRunning, startUndock } from '../support/undock.ts'

const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><style>rect{fill:red}</style>
  <rect width="20" height="10"/><script>document.documentElement.setAttribute('ran', 'yes')</script></svg>`

let project: TestProject
let browser: Browser
let foreign: Server
let api: string
let inbox: string
let smtpPort: number
beforeAll(async () => {
  smtpPort = await freePort()
  project = await makeProject({
    'config.toml': `project_id = "hostile"\n[local_smtp]\nsmtp_port = ${smtpPort}\n[edge_runtime]\nenabled = false\n[storage.buckets.open]\npublic = true\n`,
  })
  api = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`
  inbox = `http://127.0.0.1:${project.ports.SUPABASE_LOCAL_SMTP_PORT}`
  await startUndock(project)
  foreign = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>foreign</title>'),
  )
  await new Promise<void>((resolve) => foreign.listen(0, 'localhost', resolve))
  browser = await chromium.launch(CHROMIUM)
})
afterAll(async () => {
  await browser?.close()
  foreign?.close()
  await endRunning()
  await project?.remove()
})

async function sendMail(html: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  await transport.sendMail({
    from: '"<img src=x onerror=document.title=1>" <a@x.test>',
    to: 'jo@x.test',
    subject: '<script>document.title=2</script><img src=x onerror=document.title=3>',
    html,
    attachments: [
      { filename: '"><img src=x onerror=document.title=4>.html', content: '<script>document.title=5</script>' },
    ],
  })
  transport.close()
}

test('a stored SVG runs no script when opened, and displays as an image in a page', async () => {
  const bucket = createClient(api, SECRET_KEY).storage.from('open')
  expect((await bucket.upload('a.svg', SVG, { contentType: 'image/svg+xml' })).error).toBeNull()
  const url = bucket.getPublicUrl('a.svg').data.publicUrl
  const page = await browser.newPage()
  await page.goto(url)
  expect(await page.locator('svg').getAttribute('ran')).toBeNull()
  await page.goto(`http://localhost:${(foreign.address() as AddressInfo).port}/`)
  await page.setContent(`<img src="${url}">`)
  const width = () => page.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth)
  await expect.poll(width, { timeout: 15_000 }).toBe(20)
  await page.close()
})

test('a hostile email runs no code in the inbox and loads nothing from the network', async () => {
  await sendMail(`<p id="text">read me</p><script>parent.document.title = 'script'</script>
    <img src="x" onerror="parent.document.title='error'"><svg onload="parent.document.title='svg'"></svg>
    <iframe srcdoc="<script>top.document.title='frame'</script>"></iframe>
    <a id="link" href="javascript:parent.document.title='link'">link</a>
    <form action="${inbox}/api/v1/messages" method="post"><button id="button">send</button></form>
    <meta http-equiv="refresh" content="0;url=${inbox}/api/v1/messages"><base href="https://evil.test/">`)
  const page = await browser.newPage()
  await page.goto(inbox)
  await page.getByText('<script>document.title=2</script>').first().click()
  const frame = page.frameLocator('iframe')
  await expect.poll(() => frame.locator('#text').textContent(), { timeout: 15_000 }).toBe('read me')
  for (const target of ['#link', '#button']) await frame.locator(target).click()
  expect(await frame.locator('#text').textContent()).toBe('read me')
  // The number of unread emails appears and disappears.
  expect(await page.title()).toMatch(/^(\(\d+\) )?Inbox$/)
  // The same message opened in its own tab, and its attachment.
  const alone = await browser.newPage()
  await alone.goto(`${inbox}/view/latest.html`)
  expect([await alone.title(), await alone.evaluate(() => self.origin)]).toEqual(['', 'null'])
  await Promise.all([page.close(), alone.close()])
})

test("a foreign page can't read, send or delete email", async () => {
  await sendMail('<p>kept</p>')
  const { total } = (await (await fetch(`${inbox}/api/v1/messages`)).json()) as { total: number }
  const page = await browser.newPage()
  // Local pages may use the inbox, like test tools do; a page with any other host name is foreign.
  await page.route('http://foreign.test/**', (route) =>
    route
      .fetch({ url: `http://localhost:${(foreign.address() as AddressInfo).port}/` })
      .then((response) => route.fulfill({ response })),
  )
  await page.goto('http://foreign.test/')
  const outcomes = await page.evaluate(async (at) => {
    const attempt = (path: string, init: RequestInit) =>
      fetch(at + path, init).then(
        async (response) => `${response.type} ${response.status} ${(await response.text()).length}`,
        () => 'refused',
      )
    return [
      await attempt('/api/v1/messages', {}),
      await attempt('/api/v1/messages', { mode: 'no-cors' }),
      await attempt('/api/v1/messages', { method: 'DELETE' }),
      await attempt('/api/v1/send', { method: 'POST', mode: 'no-cors', body: '{}' }),
    ]
  }, inbox)
  expect(outcomes).toEqual(['refused', expect.stringMatching(/^opaque 0 0$|^refused$/), 'refused', expect.any(String)])
  const after = (await (await fetch(`${inbox}/api/v1/messages`)).json()) as { total: number }
  expect(after.total).toBe(total)
  await page.close()
})
