import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeFiles } from '../testing/files.ts'
import { type FunctionsServer, startFunctionsServer } from '../testing/functions-server.ts'

// Functions behave as in Supabase's edge runtime.

const SERVE = 'Deno.serve(() => new Response("alive"))'
const NODE_SERVER = "createServer((req, res) => res.end('node ' + req.url + ' ' + req.headers['x-request-id']))"

/** Functions and their responses. */
const CASES: Readonly<Record<string, readonly [text: string, answer: string]>> = {
  exits: [
    `import process from 'node:process'
     if (!Deno.env.get('MISSING')) Deno.exit(1)
     Deno.addSignalListener('SIGTERM', () => {})
     Deno.serve(() => { Deno.exit(0); Deno.kill(Deno.pid); process.exit(3); process.abort(); globalThis.close?.(); return new Response('alive') })`,
    'alive',
  ],
  'exits-later': [
    `Deno.serve(() => { setTimeout(() => Deno.exit(0), 5); return new Promise((end) => setTimeout(end, 50, new Response('alive'))) })`,
    'alive',
  ],
  late: [`async function main() { await new Promise((end) => setTimeout(end, 50)); ${SERVE} }\nmain()`, 'alive'],
  'after-await': [`await new Promise((end) => setTimeout(end, 20)); ${SERVE}`, 'alive'],
  'awaits-within': [`for (const one of [1]) await one\n${SERVE}`, 'alive'],
  'node-http': [`import { createServer } from 'node:http'\n${NODE_SERVER}.listen(3000)`, 'node /node-http request-1'],
  'node-late': [
    `import http from 'node:http'\nsetTimeout(() => http.${NODE_SERVER}.listen({ port: 80, host: '0.0.0.0' }, () => console.log('up')), 30)`,
    'node /node-late request-1',
  ],
  'foreign-response': [
    `class Foreign { status = 200; headers = new Map([['x-a', 'b']]); body = new Blob(['foreign']).stream() }
     Deno.serve(() => new Foreign())`,
    'foreign',
  ],
  messages: [
    `let heard = 0
     self.addEventListener('message', (event) => { heard++; JSON.parse(event.data) })
     Deno.serve(() => new Response('heard ' + heard + ' ' + typeof WorkerGlobalScope + ' ' + typeof Worker))`,
    'heard 0 undefined undefined',
  ],
  reads: [
    `const file = new URL('./data.txt', import.meta.url)
     const early = Deno.readTextFileSync(file) + Deno.statSync(file).size
     const tried = (run) => { try { return run() } catch (error) { return error.name + ' ' + error.message } }
     Deno.serve(() => Response.json([early, tried(() => Deno.readTextFileSync(file)), tried(() => Deno.statSync(file)),
       tried(() => Deno.writeTextFileSync('/tmp/x', '')), tried(() => Deno.rename('/tmp/a', '/tmp/b'))]))`,
    JSON.stringify([
      'data4',
      'data',
      'PermissionDenied Deno.statSync is blocklisted on the current context',
      'PermissionDenied Deno.writeTextFileSync is blocklisted on the current context',
      'PermissionDenied Deno.rename is blocklisted',
    ]),
  ],
  handled: [
    `addEventListener('unhandledrejection', (event) => event.preventDefault())
     Deno.serve(() => { Promise.reject(new Error('handled')); return new Promise((end) => setTimeout(end, 30, new Response('alive'))) })`,
    'alive',
  ],
  closes: [
    `let calls = 0
     const server = Deno.serve(() => { setTimeout(() => server.shutdown(), 5); return new Response('call ' + ++calls) })`,
    'call 1',
  ],
  'looks-around': [
    `import fs from 'node:fs'
     const tried = (run) => { try { return run() } catch (error) { return error.code } }
     Deno.serve(async () => Response.json([fs.existsSync('/etc/hostname'), tried(() => fs.readFileSync('/etc/hostname')),
       await fs.promises.readFile('/etc/hostname').catch((error) => error.code)]))`,
    '[false,"ENOENT","ENOENT"]',
  ],
  promisified: [
    `import fs from 'node:fs'
     import { promisify } from 'node:util'
     const exists = (path) => new Promise((end) => fs.exists(path, end))
     Deno.serve(async () => {
       await promisify(fs.writeFile)('/tmp/sound', 'meow')
       const file = await promisify(fs.open)('/tmp/sound')
       const { bytesRead } = await promisify(fs.read)(file, new Uint8Array(9), 0, 9, 0)
       return Response.json([bytesRead, await promisify(fs.exists)('/tmp/sound'),
         await promisify(fs.exists)('/etc/hostname'), await exists('/tmp/sound'), await exists('/etc/hostname')])
     })`,
    '[4,true,false,true,false]',
  ],
  // A CommonJS package that requires an ES module, which imports another.
  'requires-modules': [
    `import sniff from 'npm:html-encoding-sniffer@7.0.0'
     Deno.serve(() => new Response(String(sniff(Uint8Array.of(0xfe, 0xff)))))`,
    'UTF-16BE',
  ],
  workspace: ["import { say } from '@acme/say'; Deno.serve(() => new Response(say()))", 'meow'],
}

const COMMONJS = `
  const { readFileSync } = require("node:fs")
  require("fs").writeFileSync("/tmp/sound", "meow")
  Deno.serve(() => new Response(readFileSync("/tmp/sound")))`

let server: FunctionsServer
beforeAll(async () => {
  const files = Object.entries(CASES).map(([name, [text]]) => [`functions/${name}/index.ts`, text])
  server = await startFunctionsServer(
    {
      ...Object.fromEntries(files),
      'functions/reads/data.txt': 'data',
      'functions/workspace/deno.json': '{ "workspace": ["./say"] }',
      'functions/workspace/say/deno.json': '{ "name": "@acme/say", "version": "0.0.1", "exports": "./mod.ts" }',
      'functions/workspace/say/mod.ts': "export const say = () => 'meow'",
      'functions/common/index.js': COMMONJS,
      'functions/common/package.json': '{ "type": "commonjs" }',
      'functions/untyped/index.js': COMMONJS,
      'functions/untyped/package.json': '{}',
      'functions/packages/index.js':
        'const { camelCase } = require("cases"); Deno.serve(() => new Response(camelCase("me ow")))',
      'functions/packages/package.json': '{ "dependencies": { "cases": "npm:change-case@^5.4.4" } }',
      'functions/never-ends/index.ts': 'await new Promise(() => {})',
      'functions/lacks/index.ts': `import { createRequire } from 'node:module'; createRequire(import.meta.url)('is-nowhere')`,
      'functions/exports/index.js': 'module.exports = { fetch: () => new Response("meow") }',
    },
    {
      toml: ['common', 'untyped', 'exports', 'packages']
        .map((name) => `[functions.${name}]\nentrypoint = "./functions/${name}/index.js"\n`)
        .join(''),
    },
  )
})
afterAll(async () => {
  await server?.close()
})

test.each<readonly [name: string, answer: string]>([
  ...Object.entries(CASES).map(([name, [, answer]]) => [name, answer] as const),
  ['common', 'meow'],
  ['untyped', 'meow'],
  ['exports', 'meow'],
  ['packages', 'meOw'],
])('%s answers %j, and again', async (name, answer) => {
  expect(await (await server.call(name)).text()).toBe(answer)
  // An ended worker is replaced by the next request at the latest.
  await expect.poll(async () => (await server.call(name)).text(), { timeout: 10_000 }).toBe(answer)
})

test.each([
  ['never-ends', 'Top-level await promise never resolved'],
  ['lacks', "Cannot find module 'is-nowhere'"],
])("%s doesn't boot because of %j", async (name, cause) => {
  const response = await server.call(name)
  expect([response.status, (await response.json()).cause]).toEqual([503, expect.stringContaining(cause)])
})

test('warns about reading files in a handler, like `supabase start`', async () => {
  await server.call('reads')
  expect(server.logged.join('\n')).toContain(
    'reads: WARNING: Do not use Deno.readTextFileSync inside the async callback',
  )
})

describe('with a registry that lacks a package', () => {
  test('only the function that imports it fails to boot, regardless of the order of calls', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'undock-registry-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await makeFiles(folder, {
      'package/package.json': '{ "name": "there", "version": "1.0.0", "main": "index.js" }',
      'package/index.js': 'module.exports = "there"',
    })
    execFileSync('tar', ['czf', 'there.tgz', 'package'], { cwd: folder })
    const registry = createServer(async ({ url = '' }, response) => {
      const name = url.split('/')[1]?.replace(/\.tgz$/, '') ?? ''
      if (url.endsWith('.tgz')) {
        if (name !== 'there') return response.writeHead(404).end()
        return response.end(await readFile(join(folder, 'there.tgz')))
      }
      const dist = { tarball: `http://${registryHost()}/${name}.tgz` }
      return response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: '1.0.0' },
          versions: { '1.0.0': { name, version: '1.0.0', dist } },
        }),
      )
    }).listen(0, '127.0.0.1')
    const registryHost = () => `127.0.0.1:${(registry.address() as AddressInfo).port}`
    await once(registry, 'listening')
    onTestFinished(() => void registry.close())
    const functions = await startFunctionsServer(
      {
        'functions/lacks/index.ts': "import x from 'npm:absent@1.0.0'; Deno.serve(() => new Response(x))",
        'functions/has/index.ts': "import x from 'npm:there@1.0.0'; Deno.serve(() => new Response(x))",
      },
      {
        env: {
          ...process.env,
          DENO_DIR: join(folder, 'deno'),
          NPM_CONFIG_REGISTRY: `http://${registryHost()}/`,
          npm_config_registry: `http://${registryHost()}/`,
        },
      },
    )
    onTestFinished(() => functions.close())
    const lacking = await functions.call('lacks')
    expect([lacking.status, (await lacking.json()).cause]).toEqual([503, expect.stringContaining('absent')])
    expect(await (await functions.call('has')).text()).toBe('there')
  })
})
