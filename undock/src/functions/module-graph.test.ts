import { expect, test } from 'vitest'
import { readModuleGraph } from './module-graph.ts'

const graph = (modules: readonly object[], redirects = {}): string =>
  JSON.stringify({ version: 1, roots: ['file:///f/index.ts'], modules, redirects })
const importing = (...dependencies: readonly object[]) => ({
  specifier: 'file:///f/index.ts',
  local: '/f/index.ts',
  dependencies,
})
const missing = { specifier: 'file:///f/missing.ts', error: 'Module not found' }

test('local files are those of the function, wherever they are imported', () => {
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
  ['an import that is missing', [importing({ code: { specifier: missing.specifier } }), missing], 'Module not found'],
  [
    'an import that no rule resolves',
    [importing({ code: { error: 'not in the import map' } })],
    'not in the import map',
  ],
  [
    'a dynamic import that is missing',
    [importing({ isDynamic: true, code: { specifier: missing.specifier } }), missing],
    null,
  ],
  ['a type that is missing', [importing({ type: { specifier: missing.specifier } }), missing], null],
])('%s', (_name, modules, fault) => {
  expect(readModuleGraph(graph(modules)).fault).toBe(fault)
})

test('a redirected import is followed, also in a circle', () => {
  const redirected = {
    specifier: 'file:///f/b.ts',
    dependencies: [{ code: { specifier: 'file:///f/index.ts' } }],
    error: 'gone',
  }
  const modules = [importing({ code: { specifier: 'jsr:@a/b' } }), redirected]
  expect(readModuleGraph(graph(modules, { 'jsr:@a/b': 'file:///f/b.ts' })).fault).toBe('gone')
})
