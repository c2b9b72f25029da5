import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'
import { denoFolder } from './embedder.ts'

// What a function can't do to the machine, its runtime and other functions.

const THIEF = `
  import fs from 'node:fs'
  import { createRequire } from 'node:module'
  import { writeFile } from 'node:fs/promises'
  import os from 'node:os'
  const around = (path) => ['/proc/self/root' + path, path.replace('/tmp/', '/tmp/../tmp/'), path.replace('/tmp/', '/var/../tmp/'), '/tmp/..' + path, '../../../../../../..' + path]
  const evil = '{ "imports": { "npm:": "/tmp/evil.js" } }'
  Deno.serve(async (req) => {
    const { path, secret } = await req.json()
    const own = os.tmpdir()
    const attempts = [path, 'file://' + path, ...around(path)].flatMap((to) => {
      const target = to.startsWith('file:') ? new URL(to) : to
      return [
        () => Deno.writeTextFile(target, evil),
        () => fs.writeFileSync(target, evil),
        () => writeFile(target, evil),
        () => Deno.remove(target),
        () => Deno.readTextFile(target),
        () => fs.readFileSync(target, 'utf8'),
        () => import(String(target), { with: { type: 'json' } }).then((module) => JSON.stringify(module)),
        ...['js', 'mjs'].map((type) => () => {
          const module = own + '/' + crypto.randomUUID() + '.' + type
          // Deno ends with an internal error when it reads JSON as text.
          const attributes = path.endsWith('json') ? ' with { type: "json" }' : ' with { type: "text" }'
          fs.writeFileSync(module, 'import data from ' + JSON.stringify(String(target)) + attributes + '; export default data')
          return JSON.stringify(createRequire(module)(module).default)
        }),
        () => fs.copyFileSync(target, own + '/copy') ?? fs.readFileSync(own + '/copy', 'utf8'),
        () => fs.symlinkSync(target, own + '/link') ?? fs.readFileSync(own + '/link', 'utf8'),
        () => fs.linkSync(target, own + '/hard') ?? fs.readFileSync(own + '/hard', 'utf8'),
        () => fs.renameSync(target, own + '/moved') ?? fs.readFileSync(own + '/moved', 'utf8'),
        () => fs.readdirSync(new URL('.', 'file://' + path)).join(),
      ]
    })
    const taken = []
    for (const attempt of attempts) {
      try {
        const result = String(await attempt())
        if (secret && result.includes(secret)) taken.push(String(attempt))
      } catch {}
    }
    return Response.json(taken)
  })`

const AUDIT = join(tmpdir(), `undock-audit-${process.pid}`)

let server: FunctionsServer
beforeAll(async () => {
  server = await startFunctionsServer(
    {
      'functions/thief/index.ts': THIEF,
      'functions/keeper/index.ts': `
        const file = await Deno.makeTempFile()
        await Deno.writeTextFile(file, 'the-secret')
        await Deno.writeTextFile('/tmp/plain', 'the-secret')
        await (await caches.open('kept')).put('http://kept/', new Response('the-secret'))
        Deno.serve(async () => Response.json([file, await Deno.readTextFile(file), await Deno.readTextFile('/tmp/plain')]))`,
      'functions/temporary/index.ts': `
        import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
        import { rm, writeFile } from 'node:fs/promises'
        import os from 'node:os'
        import { join } from 'node:path'
        const made = await Deno.makeTempDir({ prefix: 'a' })
        await Deno.writeTextFile(join(made, 'x'), '/tmp/is only text')
        await Deno.mkdir('/tmp/deep/er', { recursive: true })
        writeFileSync('/tmp/deep/er/y', '/tmp/sync')
        await writeFile(new URL('file:///tmp/z.js'), 'export const z = "imported"')
        const { z } = await import('/tmp/z.js')
        const read = [await Deno.readTextFile(join(made, 'x')), readFileSync('/tmp/deep/er/y', 'utf8'), z]
        const listed = [...Deno.readDirSync('/tmp')].map(({ name }) => name).filter((name) => name !== made.split('/').at(-1)).sort()
        const isOwn = mkdtempSync(join(os.tmpdir(), 'n-')).startsWith(os.tmpdir()) && made.startsWith(os.tmpdir())
        await rm('/tmp/deep', { recursive: true })
        Deno.serve(() => Response.json([read, listed, isOwn, Deno.realPathSync('/tmp/z.js')]))`,
      'functions/keys/index.ts': `
        const read = (path) => Deno.readTextFile(path).catch((error) => error.name)
        Deno.serve(async () => Response.json(await Promise.all(['supabase/.undock/keys.json', 'near/supabase/.undock/keys.json', '.trees/a/supabase/.undock/keys.json', '/etc/passwd', '/proc/self/environ', 'supabase/functions/keys/data.txt'].map(read))))`,
      'functions/keys/data.txt': 'data',
      'functions/imports/index.ts': `
        import text from '/etc/hosts' with { type: 'text' }
        Deno.serve(() => new Response(text))`,
      'functions/imports-own/index.ts': `
        import text from '../keys/data.txt' with { type: 'text' }
        import * as one from 'node:module'
        import * as two from 'data:text/javascript,export * from "node:module"'
        Deno.serve(() => Response.json([text, ...[one, two, one.default].map((module) => typeof module.registerHooks)]))`,
      'functions/forger/index.ts': `
        const say = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text))
        Deno.serve(() => {
          say('no end \\u001e{"type":"listening"\\n\\u001enothing\\n\\u001e{"type":"pong"}\\nno end')
          console.log('after')
          return new Response('forged')
        })`,
      '.undock/keys.json': 'the-keys',
      '../near/supabase/.undock/keys.json': 'the-keys of another project',
      '../.trees/a/supabase/.undock/keys.json': 'the-keys of a worktree',
      'functions/loads/index.ts': `
        Deno.serve(async () => Response.json([Deno.env.get('LD_PRELOAD'), (await import('node:process')).default.env.DENO_AUDIT_PERMISSIONS]))`,
      'functions/loads/.env': `LD_PRELOAD=/tmp/evil.so\nDENO_AUDIT_PERMISSIONS=${AUDIT}\nDENO_PERMISSION_BROKER_PATH=/tmp/broker`,
    },
    { limits: { idle: 300 } },
  )
})
afterAll(async () => {
  await server?.close()
})

/** The files Deno reads for functions, with their contents. */
async function configuration(): Promise<Map<string, string>> {
  const own = (await readdir(tmpdir())).filter((name) => name.startsWith(`undock-functions-${process.pid}-`))
  const found = await Promise.all(own.map((name) => readdir(join(tmpdir(), name), { recursive: true })))
  const paths = found.flatMap((names, index) =>
    names.filter((name) => name.endsWith('.json')).map((name) => join(tmpdir(), own[index] ?? '', name)),
  )
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)))
}

const rob = async (path: string, secret: string): Promise<string[]> =>
  (await server.call('thief', { method: 'POST', body: JSON.stringify({ path, secret }) })).json()

test("a function can't read or change the runtime's files, even after it has slept", async () => {
  expect(await (await server.call('keeper')).json()).toHaveLength(3)
  const before = await configuration()
  expect(before.size).toBeGreaterThan(4)
  for (const path of before.keys()) expect(await rob(path, 'imports')).toEqual([])
  expect(await configuration()).toEqual(before)
  await expect.poll(() => server.states().every(({ worker }) => worker !== 'ready')).toBe(true)
  expect(await (await server.call('keeper')).json()).toHaveLength(3)
})

test("a function can't read or change temporary files of other functions or stacks", async () => {
  const [file, ...kept] = (await (await server.call('keeper')).json()) as string[]
  expect(kept).toEqual(['the-secret', 'the-secret'])
  for (const path of [file ?? '', join(file ?? '', '../plain')]) expect(await rob(path, 'the-secret')).toEqual([])
  const cached = join(denoFolder({ ...process.env, HOME: homedir() }), 'location_data/web_cache')
  expect(existsSync(cached)).toBe(true)
  expect(await rob(cached, 'web_cache')).toEqual([])
  const other = await startFunctionsServer({ 'functions/thief/index.ts': THIEF })
  const body = JSON.stringify({ path: file, secret: 'the-secret' })
  expect(await (await other.call('thief', { method: 'POST', body })).json()).toEqual([])
  await other.close()
})

test("/tmp is the function's own folder for Deno, node:fs and imports", async () => {
  expect(await (await server.call('temporary')).json()).toEqual([
    ['/tmp/is only text', '/tmp/sync', 'imported'],
    ['deep', 'z.js'],
    true,
    '/tmp/z.js',
  ])
})

test('a function can read its project, but not files of the machine or of any stack', async () => {
  expect(await (await server.call('keys')).json()).toEqual([...Array(5).fill('NotFound'), 'data'])
})

test("a function that statically imports another program's file as text doesn't boot", async () => {
  const response = await server.call('imports')
  expect([response.status, (await response.json()).cause]).toEqual([
    503,
    expect.stringContaining('Requires read access'),
  ])
  expect(await (await server.call('imports-own')).json()).toEqual(['data', 'undefined', 'undefined', 'undefined'])
})

// Some would make the system load code, or Deno write files and ask someone else for permissions.
test("the project's variables never reach the process of a function", async () => {
  expect(await (await server.call('loads')).json()).toEqual(['/tmp/evil.so', AUDIT])
  expect(existsSync(AUDIT)).toBe(false)
  expect(server.logged.filter((line) => line.includes('evil.so'))).toEqual([])
})

test("a function's stdout can't forge log events", async () => {
  for (let round = 0; round < 2; round++) expect(await (await server.call('forger')).text()).toBe('forged')
  await expect.poll(() => server.logged).toEqual(expect.arrayContaining(['forger: no end', 'forger: after']))
})
