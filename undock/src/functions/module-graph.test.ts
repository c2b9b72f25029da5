import { expect, test } from 'vitest'
import { placeIn, readModuleGraph } from './module-graph.ts'

const graph = (modules: readonly object[], redirects = {}): string =>
  JSON.stringify({ version: 1, roots: ['file:///f/index.ts'], modules, redirects })
const importing = (...dependencies: readonly object[]) => ({
  specifier: 'file:///f/index.ts',
  local: '/f/index.ts',
  dependencies,
})
const missing = { specifier: 'file:///f/missing.ts', error: 'Module not found' }

test("lists the function's local files, wherever they are imported", () => {
  const { files, fault } = readModuleGraph(
    graph([
      importing({ code: { specifier: 'file:///f/a.ts' } }),
      { specifier: 'file:///f/a.ts', local: '/f/a.ts' },
      { specifier: 'https://esm.sh/x', local: '/cache/x' },
      { kind: 'npm', specifier: 'npm:/x@1' },
    ]),
  )
  expect({ files, fault }).toEqual({ files: ['/f/index.ts', '/f/a.ts'], fault: null })
})

test.each([
  ['a missing import', [importing({ code: { specifier: missing.specifier } }), missing], 'Module not found'],
  ['an unresolved import', [importing({ code: { error: 'not in the import map' } })], 'not in the import map'],
  ['a missing dynamic import', [importing({ isDynamic: true, code: { specifier: missing.specifier } }), missing], null],
  ['a missing type', [importing({ type: { specifier: missing.specifier } }), missing], null],
])('%s', (_name, modules, fault) => {
  expect(readModuleGraph(graph(modules)).fault).toBe(fault)
})

test('follows redirected and circular imports', () => {
  const redirected = {
    specifier: 'file:///f/b.ts',
    dependencies: [{ code: { specifier: 'file:///f/index.ts' } }],
    error: 'gone',
  }
  const modules = [importing({ code: { specifier: 'jsr:@a/b' } }), redirected]
  expect(readModuleGraph(graph(modules, { 'jsr:@a/b': 'file:///f/b.ts' })).fault).toBe('gone')
})

test('reports unreachable modules of several hosts together, with what to do', () => {
  const far = [
    { specifier: 'https://deno.land/x/a/mod.ts', error: "Import 'https://deno.land/x/a/mod.ts' failed." },
    { specifier: 'jsr:@std/b@1', error: "JSR package manifest for '@std/b' failed to load." },
  ]
  const modules = [importing(...far.map(({ specifier }) => ({ code: { specifier } }))), ...far]
  expect(readModuleGraph(graph(modules)).fault).toBe(
    "Import 'https://deno.land/x/a/mod.ts' failed. undock knows no npm package for https://deno.land/x/a/mod.ts, jsr:@std/b@1: " +
      'run `undock functions prepare` once where deno.land and jsr.io can be reached, or import an npm package instead.',
  )
  const absent = [
    { specifier: 'https://deno.land/x/a/mod.ts', error: 'Module not found "https://deno.land/x/a/mod.ts".' },
  ]
  expect(readModuleGraph(graph([importing({ code: absent[0] }), ...absent])).fault).toBe(absent[0]?.error)
})

test('finds the position of an error in a trace, even after a megabyte of other text', () => {
  const trace = 'at f (file:///f/index.ts:3:5)\n    at file:///f/b.ts:1:1'
  const place = { file: '/f/index.ts', line: 3, column: 5 }
  expect(placeIn(trace)).toEqual(place)
  expect(placeIn(`${'file://0'.repeat(125_000)} ${trace}`)).toEqual(place)
})
