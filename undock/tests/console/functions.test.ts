import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const HELLO = `Deno.serve(async (request) => {
  const url = new URL(request.url)
  if (url.pathname.endsWith('/throw')) throw new Error('no luck today')
  if (url.pathname.endsWith('/away')) return new Response(null, { status: 302, headers: { location: 'https://example.com/', 'set-cookie': 'a=b' } })
  console.log('called by', request.headers.get('x-who'))
  return Response.json({ method: request.method, query: url.search, body: await request.text(), who: request.headers.get('authorization') === null ? 'nobody' : 'somebody' })
})
`

let project: TestProject
let stack: Stack

test.beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "greeter"\n',
    'functions/hello/index.ts': HELLO,
    'functions/broken/index.ts': 'export const = 1\n',
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true })
})
test.afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

test('calls a function as any caller and shows its unmodified response and log', async ({ page }) => {
  await page.goto(`${stack.consoleUrl}/functions`)
  await page.getByRole('link', { name: 'hello' }).click()
  await page.getByLabel('Path and query after the name').fill('/greet?a=1')
  await page.getByRole('button', { name: 'Header', exact: true }).click()
  await page.getByLabel('Name of the header').last().fill('x-who')
  await page.getByLabel('Value of x-who').fill('the console')
  await page.getByLabel('Body', { exact: true }).fill('{"b":2}')
  await page.getByRole('button', { name: 'Send' }).click()
  const reply = page.getByRole('region', { name: 'Response', exact: true })
  await expect(reply).toContainText('200')
  await expect(page.getByRole('region', { name: 'Body of the response' })).toContainText('"query": "?a=1"')
  await expect(page.getByRole('region', { name: 'Body of the response' })).toContainText('"who": "somebody"')
  await expect(page.getByRole('region', { name: 'Log' })).toContainText('called by the console')
  await expect(page.getByText('Its worker is running.').first()).toBeVisible()
  await expectAccessible(page)

  await page.getByLabel('Call as a role or user').fill('none')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(reply).toContainText('401')
  await page.getByLabel('Call as a role or user').fill('nobody known')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('alert')).toContainText('There is no user or role "nobody known"')

  await page.getByLabel('Call as a role or user').fill('anon')
  await page.getByLabel('Path and query after the name').fill('away')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(reply).toContainText('302')
  await reply.getByText(/headers$/).click()
  await expect(reply).toContainText('https://example.com/')
  await expect(reply).toContainText('a=b')
})

test("shows an error with its source position, and why a function can't boot", {
  tag: '@nightly',
}, async ({ page }) => {
  await page.goto(`${stack.consoleUrl}/functions/hello`)
  await page.getByLabel('Path and query after the name').fill('throw')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('region', { name: 'Response', exact: true })).toContainText('500')
  const error = page.getByRole('region', { name: 'Last error' })
  await expect(error).toContainText('no luck today')
  await expect(error).toContainText(/functions\/hello\/index\.ts:3:\d+/)
  await page.getByRole('link', { name: /broken/ }).click()
  await expect(page.getByRole('region', { name: 'Why it cannot boot' })).toContainText('broken/index.ts:1:')
})
