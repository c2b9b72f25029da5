import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFiles } from '../../testing/files.ts'
import { runCli } from '../run-cli.ts'

async function prepare(functions: Readonly<Record<string, string>>): Promise<[code: number, told: string]> {
  const workdir = await mkdtemp(join(tmpdir(), 'undock-prepare-'))
  onTestFinished(() => rm(workdir, { recursive: true, force: true }))
  await makeFiles(join(workdir, 'supabase'), { 'config.toml': 'project_id = "prepare"', ...functions })
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => said.mockRestore())
  const code = await runCli(['functions', 'prepare', '--workdir', workdir])
  return [code, said.mock.calls.flat().join('\n')]
}

test("lists every function, and fails if one can't boot", async () => {
  const [code, told] = await prepare({
    'functions/good/index.ts': "import { a } from '../_shared/a.ts'\nDeno.serve(() => new Response(a))",
    'functions/client/index.ts': "new URL(Deno.env.get('SUPABASE_URL')); Deno.serve(() => new Response())",
    'functions/_shared/a.ts': "export const a = 'a'",
    'functions/bad/index.ts': "import { b } from './b.ts'\nDeno.serve(() => new Response(b))",
  })
  expect(code).toBe(1)
  expect(told).toContain('good: ready')
  expect(told).toContain('client: ready')
  expect(told).toMatch(/bad: cannot boot: Module not found ".*b\.ts"/)
  expect(told).toContain('2 of 3 functions are ready.')
})

test('a function may import from any host', async () => {
  const host = createServer((_request, response) => {
    response.setHeader('content-type', 'text/typescript')
    response.end("export const word: string = 'from afar'")
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  onTestFinished(() => void host.close())
  const { port } = host.address() as AddressInfo
  const [code, told] = await prepare({
    'functions/far/index.ts': `import { word } from 'http://127.0.0.1:${port}/word.ts'\nDeno.serve(() => new Response(word))`,
  })
  expect([code, told]).toEqual([0, expect.stringContaining('far: ready')])
})

test('a project without functions needs no Deno', async () => {
  expect(await prepare({})).toEqual([0, '0 of 0 functions are ready.'])
})
