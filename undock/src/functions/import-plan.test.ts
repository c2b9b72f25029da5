import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { JsoncError, parseJsonc } from '../config/jsonc.ts'
import { planImports } from './import-plan.ts'
import { npmImportMap, npmImportMapOf, npmSpecifierOf, packageImports } from './npm-import-map.ts'

test.each([
  ['jsr:@supabase/supabase-js@2', 'npm:@supabase/supabase-js@2'],
  ['jsr:@supabase/server', 'npm:@supabase/server'],
  ['https://esm.sh/@supabase/supabase-js@2.39.0', 'npm:@supabase/supabase-js@2.39.0'],
  ['https://esm.sh/v135/stripe@14.1.0?target=deno', 'npm:stripe@14.1.0'],
  ['https://esm.sh/lodash-es@4/debounce', 'npm:lodash-es@4/debounce'],
  ['https://esm.sh/hono', 'npm:hono'],
  ['https://esm.sh/gh/owner/repository', undefined],
  ['https://esm.sh/jsr/@hono/hono@4', 'npm:hono@4'],
  ['https://esm.sh/jsr/@std/path@1', undefined],
  ['https://esm.sh/hono@4.6.0/', 'npm:/hono@4.6.0/'],
  ['https://esm.sh/pr/supabase/supabase-js/@supabase/supabase-js@1a2b3c?target=deno', 'npm:@supabase/supabase-js'],
  [
    'https://esm.sh/pr/supabase/supabase-js/@supabase/supabase-js@1a2b3c/dist/cors.mjs',
    'npm:@supabase/supabase-js/dist/cors.mjs',
  ],
  ['https://esm.sh/pr/supabase/supabase-js/@supabase/supabase-js@{COMMIT_HASH}/', 'npm:/@supabase/supabase-js/'],
  ['https://esm.sh/dayjs@1.11.10/plugin/utc', 'npm:dayjs@1.11.10/plugin/utc'],
  ['jsr:@panva/jose@6', 'npm:jose@6'],
  ['jsr:@hono/hono@4/cors', 'npm:hono@4/cors'],
  ['https://deno.land/x/zod@v3.22.4/mod.ts', 'npm:zod@3.22.4'],
  ['https://deno.land/x/zod/mod.ts', 'npm:zod'],
  ['https://deno.land/x/jose@v4.14.4/index.ts', 'npm:jose@4.14.4'],
  ['https://deno.land/x/postgresjs@v3.4.4/mod.js', 'npm:postgres@3.4.4'],
  ['https://cdn.skypack.dev/lodash', 'npm:lodash'],
  ['https://cdn.skypack.dev/@octokit/core@3?dts', 'npm:@octokit/core@3'],
  ['https://cdn.jsdelivr.net/npm/@supabase/supabase-js/+esm', 'npm:@supabase/supabase-js'],
  ['https://cdn.jsdelivr.net/npm/x@1/dist/x.js', undefined],
  ['https://deno.land/x/hono@v4.0.0/middleware.ts', undefined],
  ['https://deno.land/std@0.224.0/assert/mod.ts', undefined],
  ['jsr:@std/path@1', undefined],
  ['jsr:@std/encoding@1', undefined],
  ['https://deno.land/std@0.168.0/encoding/hex.ts', undefined],
  ['npm:zod@4', undefined],
  ['jsr:@henrygd/queue@^1.0.7', 'npm:@henrygd/queue@^1.0.7'],
  ['https://deno.land/std@0.177.0/node/crypto.ts', 'node:crypto'],
  ['https://deno.land/std@0.177.0/node/fs/promises.ts', 'node:fs/promises'],
  ['https://deno.land/std@0.177.0/node/global.ts', undefined],
  ['https://deno.land/x/oak/mod.ts', undefined],
  ['https://example.com/esm.sh/x', undefined],
])('%s is %s on npm', (specifier, target) => expect(npmSpecifierOf(specifier)).toBe(target))

test.each([
  ['jsr:@supabase/functions-js/edge-runtime.d.ts', /\/deno\/nothing\.js$/],
  ['https://deno.land/std@0.168.0/http/server.ts', /\/deno\/std-http-server\.js$/],
  ['https://deno.land/x/xhr@0.1.0/mod.ts', /\/deno\/xhr\.js$/],
  ['https://deno.land/std@0.168.0/encoding/base64.ts', /\/deno\/std-base64\.js$/],
  ['https://deno.land/std/encoding/base64url.ts', /\/deno\/std-base64url\.js$/],
  ['jsr:@std/encoding@1/hex', /\/deno\/std-hex\.js$/],
  ['https://deno.land/std@0.224.0/dotenv/load.ts', /\/deno\/nothing\.js$/],
  ['jsr:@std/dotenv@0.225/load', /\/deno\/nothing\.js$/],
  ['https://deno.land/x/dotenv@v3.2.2/load.ts', /\/deno\/nothing\.js$/],
])('replaces %s with a stand-in', (specifier, file) => expect(npmSpecifierOf(specifier)).toMatch(file))

test('also maps imports through prefixes of an import map', () => {
  const sources = [
    "import { serve } from 'std/http/server.ts'",
    'import z from "x/zod@v3.22.4/mod.ts"; "std/path/mod.ts"',
  ]
  const own = {
    'std/': 'https://deno.land/std@0.168.0/',
    'x/': 'https://deno.land/x/',
    '@/': 'file:///project/',
    y: 'z',
  }
  expect(npmImportMapOf(sources, own)).toEqual({
    'std/http/server.ts': expect.stringMatching(/\/deno\/std-http-server\.js$/),
    'x/zod@v3.22.4/mod.ts': 'npm:zod@3.22.4',
  })
})

test('maps the JSX runtime of a file and of a deno.json', async () => {
  expect(npmImportMap(['/** @jsxImportSource https://esm.sh/preact@10 */'])).toEqual({
    'https://esm.sh/preact@10/jsx-runtime': 'npm:preact@10/jsx-runtime',
  })
  const folder = await mkdtemp(join(tmpdir(), 'undock-jsx-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const importMap = join(folder, 'deno.json')
  const options = (source: string) => ({ jsx: 'react-jsx', jsxImportSource: source })
  await writeFile(importMap, JSON.stringify({ compilerOptions: options('https://esm.sh/react@18.2.0') }))
  const spec = { name: 'page', entrypoint: join(folder, 'index.tsx'), importMap, staticFiles: [], verifyJwt: true }
  const { configs } = await planImports([spec], folder)
  expect(configs.get(spec)?.compilerOptions).toEqual(options('npm:react@18.2.0'))
})

test.each([
  ['{ "a": 1, } // end', { a: 1 }],
  ['/* " */ { "a": "// no comment, ]", "b": [1, 2,] }', { a: '// no comment, ]', b: [1, 2] }],
  ['{ "a": "quote \\" // still" }', { a: 'quote " // still' }],
])('%s', (text, value) => expect(parseJsonc(text)).toEqual(value))

test('uses the dependencies of package.json as an import map', () => {
  const dependencies = {
    zod: '^4', any: '', two: '>=1 <2', alias: 'npm:@scope/real@1', std: 'jsr:@std/path@1', shared: 'file:../_shared',
    forked: 'github:somebody/forked', archive: 'https://example.com/x.tgz', near: 'workspace:*',
  } // biome-ignore format: one list
  expect(packageImports({ name: 'x', dependencies }, '/project/functions/hello/package.json')).toEqual({
    zod: 'npm:zod@^4',
    any: 'npm:any@*',
    two: 'npm:two@>=1 <2',
    alias: 'npm:@scope/real@1',
    std: 'jsr:@std/path@1',
    'shared/': 'file:///project/functions/_shared/',
  })
  expect(() => packageImports({ dependencies: [] }, '/x/package.json')).toThrow('/x/package.json')
})

test.each([
  ['{ "a": }', 'Value expected'],
  ['{ "a": 1-2 }', 'Comma expected'],
  ['{ "a": "\\x" }', 'Invalid escape character'],
  ['{ "a": "\t" }', 'Invalid character'],
])('broken JSON stays an error: %s', (text, message) => {
  expect(() => parseJsonc(text)).toThrow(message)
  expect(() => parseJsonc(text)).toThrow(JsoncError)
})

test('functions deployed to undock hosted have no workspace around them', async () => {
  const root = await mkdtemp(join(tmpdir(), 'undock-workspace-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await writeFile(join(root, 'package.json'), '{"workspaces":["packages/*"]}')
  const rootOf = async (folder: string) => {
    await mkdir(join(root, folder), { recursive: true })
    return (await planImports([], join(root, folder))).root
  }
  expect(await rootOf('supabase/functions')).toBe(root)
  expect(await rootOf('supabase/.undock/hosted/supabase/functions')).toBeNull()
})
