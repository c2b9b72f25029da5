import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'

let server: FunctionsServer
beforeAll(async () => {
  server = await startFunctionsServer(
    {
      'functions/page/index.ts': `
        const html = await Deno.readTextFile(new URL('./page.html', import.meta.url))
        Deno.serve(async () => new Response(html + await Deno.readTextFile('supabase/functions/page/page.html')))`,
      'functions/page/page.html': '<p>one</p>',
      'functions/packaged/index.ts': `
        import { greet } from 'shared/greet.ts'
        import { camelCase } from 'change-case'
        Deno.serve(() => new Response(greet(camelCase('the-name'))))`,
      'functions/packaged/package.json':
        '{ "dependencies": { "change-case": "^5.4.4", "shared": "file:../../../shared" } }',
      '../shared/greet.ts': "export const greet = (name: string) => 'Hello ' + name",
      '../pnpm-workspace.yaml': "packages:\n  - 'packages/*' # all\n\ncatalog:\n  change-case: ^5.4.4\n",
      '../packages/greetings/package.json': JSON.stringify({
        name: '@acme/greetings',
        exports: { '.': { import: './dist/index.js' }, './loud': './src/loud.ts' },
        dependencies: { 'change-case': 'catalog:', '@acme/words': 'workspace:*' },
      }),
      '../packages/greetings/src/index.ts': `
        import { capitalCase } from 'change-case'
        import { word } from '@acme/words'
        export const greet = (name: string) => word + ' ' + capitalCase(name)`,
      '../packages/greetings/src/loud.ts':
        "import { greet } from './index'\nexport const shout = (name: string) => greet(name) + '!'",
      '../packages/words/package.json': '{ "name": "@acme/words", "main": "index.ts" }',
      '../packages/words/index.ts': "export const word = 'Good day'",
      'functions/monorepo/index.ts': `
        import { greet } from '@acme/greetings'
        import { shout } from '@acme/greetings/loud'
        import { mine } from './mine'
        Deno.serve(() => new Response([greet('ada'), shout('bob'), mine, Deno.env.get('OWN'), Deno.env.get('SHARED')].join(', ')))`,
      'functions/monorepo/mine.ts': "export const mine = 'mine'",
      'functions/monorepo/.env': 'OWN=own\nSHARED=of the function\nSUPABASE_URL=http://elsewhere',
      'functions/.env': 'SHARED=of all',
      'functions/shared-env/index.ts':
        "Deno.serve(() => new Response(Deno.env.get('OWN') + ' ' + Deno.env.get('SHARED')))",
      'functions/linked/index.ts': `
        import { greet } from './greet.ts'
        Deno.serve(() => new Response(greet('link')))`,
      'functions/plain/index.ts': `
        import { word } from '@words'
        Deno.serve(() => new Response(word))`,
      'deno.json': '{ "imports": { "@words": "./words.ts" } }',
      'functions/parts/index.ts': `
        import { Hono } from 'web'
        import { cors } from 'web/cors'
        const app = new Hono().use(cors()).get('*', (context) => context.text('parts'))
        Deno.serve(app.fetch)`,
      'functions/parts/deno.json': '{ "imports": { "web": "npm:hono@^4" } }',
      'words.ts': "export const word = 'from the map of the project'",
      'functions/form/index.ts': `
        Deno.serve(async (req) => {
          const form = await req.formData()
          const file = form.get('file') as File
          return Response.json([form.get('name'), file.name, file.type, (await file.bytes()).length])
        })`,
      'functions/throws/index.ts': `
        interface Nothing { readonly at: string }

        function fail(nothing?: Nothing): string {
          return nothing!.at // here
        }
        Deno.serve(() => new Response(fail()))`,
      'functions/broken/index.ts': 'const one = 1\n\nDeno.serve(() => { return <never })',
      'functions/boots-not/index.ts': "\n\nthrow new Error('<no> start')",
    },
    { toml: '[functions.page]\nstatic_files = ["./functions/page/*.html", "./functions/page/*.css"]' },
  )
  await server.link('functions/linked/greet.ts', '../../../shared/greet.ts')
  await server.link('functions/alias', 'linked')
})
afterAll(async () => {
  await server?.close()
})

test.each([
  ['page', '<p>one</p><p>one</p>'],
  ['packaged', 'Hello theName'],
  ['linked', 'Hello link'],
  ['alias', 'Hello link'],
  ['parts', 'parts'],
  ['plain', 'from the map of the project'],
  ['monorepo', 'Good day Ada, Good day Bob!, mine, own, of the function'],
  ['shared-env', 'undefined of all'],
])('%s answers %j', async (name, answer) => {
  const response = await server.call(name)
  expect([response.status, await response.text()]).toEqual([200, answer])
})

test('receives multipart forms with their files', async () => {
  const body = new FormData()
  body.set('name', 'Ada')
  body.set('file', new File([new Uint8Array([0, 1, 255])], 'a.bin', { type: 'image/png' }))
  const response = await server.call('form', { method: 'POST', body })
  expect(await response.json()).toEqual(['Ada', 'a.bin', 'image/png', 3])
})

test("rereads a function's variables when its file changes", async () => {
  await server.write('functions/monorepo/.env', 'OWN=other')
  await expect.poll(async () => (await server.call('monorepo')).text(), { timeout: 10_000 }).toContain('other, of all')
})

test('changed static files, linked files and shared code reload the functions that use them', async () => {
  await server.write('functions/page/page.html', '<p>two</p>')
  await expect.poll(async () => (await server.call('page')).text(), { timeout: 10_000 }).toBe('<p>two</p><p>two</p>')
  expect(server.logged.join('\n')).toContain('reloaded page (page/page.html changed)')
  await server.write('../shared/greet.ts', "export const greet = (name: string) => 'Goodbye ' + name")
  for (const [name, answer] of [
    ['packaged', 'Goodbye theName'],
    ['linked', 'Goodbye link'],
    ['alias', 'Goodbye link'],
  ] as const)
    await expect.poll(async () => (await server.call(name)).text(), { timeout: 10_000 }).toBe(answer)
  expect(server.logged.join('\n')).toMatch(/reloaded alias, linked, packaged \(.*greet\.ts changed\)/)
})

test.each([
  ['throws', 500, /throws\/index\.ts:5:\d+/, '<mark>   5            return nothing!.at // here</mark>'],
  ['broken', 503, /broken\/index\.ts:3:\d+/, '<mark>   3  Deno.serve(() =&#62; { return &#60;never })</mark>'],
  ['boots-not', 503, /boots-not\/index\.ts:3:\d+/, 'Error: &#60;no&#62; start'],
])('shows a browser where %s failed', async (name, status, place, text) => {
  const page = await server.call(name, { headers: { accept: 'text/html,*/*' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  const html = await page.text()
  expect(html).toMatch(place)
  expect(html).toContain(text)
  const plain = await server.call(name)
  expect([plain.status, plain.headers.get('x-undock-trace')]).toEqual([status, null])
  const answer = await plain.text()
  if (status === 500) expect(answer).toBe('Internal Server Error')
  else expect(JSON.parse(answer)).toMatchObject({ code: 'BOOT_ERROR', cause: expect.any(String) })
})
