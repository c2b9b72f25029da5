import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { createProgram } from '../../src/cli/program.ts'
import { findOverrides } from '../../src/config/overrides.ts'
import { ProjectSchema } from '../../src/config/schema/project.ts'
import { SettingsSchema } from '../../src/config/settings.ts'
import { UNDOCK } from '../support/paths.ts'

// Examples and pages use only variables and flags that `undock serve` knows. Nothing is started, as docs/serve.md says.

const files = [
  ...globSync('examples/serve/*', { cwd: UNDOCK }),
  'docs/serve.md',
  'docs/scale.md',
  '../docs/self-host.md',
].map((path) => ({ path, text: readFileSync(join(UNDOCK, path), 'utf8') }))

/** Belong to the process, not the settings. */
const OF_THE_PROCESS = ['UNDOCK_CACHE_DIR']
/** An assigned variable; in prose, a name may stand for several. */
const SET = /\b((?:SUPABASE|UNDOCK)_[A-Z0-9_]*[A-Z0-9])["']?\s*[=:]/g

const isKnown = (variable: string): boolean => {
  const name = variable.replace(/_FILE$/, '')
  const found = [
    ...findOverrides(SettingsSchema, 'UNDOCK', {}, { [name]: 'x' }, true),
    ...findOverrides(ProjectSchema, 'SUPABASE', {}, { [name]: 'x' }, true),
  ]
  return found.length > 0 || OF_THE_PROCESS.includes(name)
}

test.each(files)('$path uses only known variables', ({ text }) => {
  const variables = [...text.matchAll(SET)].map(([, name = '']) => name)
  expect(variables.filter((name) => !isKnown(name))).toEqual([])
})

test('the check would find an unknown variable', () => {
  expect(['UNDOCK_SERVE_S3_BUCKETS', 'SUPABASE_AUTH_JWT_SECRETS', 'UNDOCK_BUS'].filter(isKnown)).toEqual([])
})

test.each(files)('$path uses only known flags of `undock serve`', ({ text }) => {
  const serve = createProgram({ afterDash: [], exitCode: 0 }).commands.find((command) => command.name() === 'serve')
  const known = serve?.options.map(({ long }) => long) ?? []
  const used = [...text.matchAll(/undock serve (--[\w-]+)/g), ...text.matchAll(/(?:args|command): \[(--[\w-]+)/g)]
  expect(used.map(([, flag]) => flag).filter((flag) => flag !== '--help' && !known.includes(flag))).toEqual([])
})

const textOf = (name: string): string => files.find(({ path }) => path.endsWith(name))?.text ?? ''

function documentsOf(name: string): unknown[] {
  const documents = parseAllDocuments(textOf(name), { merge: true })
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  return documents.map((document) => document.toJS())
}

const unique = (names: readonly (string | undefined)[]): string[] =>
  [...new Set(names)].filter((name) => name !== undefined).toSorted()

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      depends_on: z.record(z.string(), z.unknown()).default({}),
      secrets: z.array(z.string()).default([]),
      configs: z.array(z.object({ source: z.string() })).default([]),
      volumes: z.array(z.string()).default([]),
    }),
  ),
  secrets: z.record(z.string(), z.unknown()),
  configs: z.record(z.string(), z.unknown()),
  volumes: z.record(z.string(), z.unknown()),
})

test('compose.yaml declares and uses all its secrets, configs and volumes', () => {
  const [{ services, ...parts }] = z.tuple([Compose]).parse(documentsOf('compose.yaml'))
  const all = Object.values(services)
  expect(unique(all.flatMap(({ secrets }) => secrets))).toEqual(unique(Object.keys(parts.secrets)))
  expect(unique(all.flatMap(({ configs }) => configs.map(({ source }) => source)))).toEqual(
    unique(Object.keys(parts.configs)),
  )
  expect(unique(all.flatMap(({ volumes }) => volumes.map((one) => one.split(':')[0])))).toEqual(
    unique(Object.keys(parts.volumes)),
  )
  expect(all.flatMap(({ depends_on }) => Object.keys(depends_on)).filter((name) => !(name in services))).toEqual([])
})

const Manifest = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) })

test('the references in kubernetes.yaml resolve', () => {
  const documents = documentsOf('kubernetes.yaml')
  const text = JSON.stringify(documents)
  const named = (kind: string): string[] =>
    unique(
      z
        .array(Manifest)
        .parse(documents)
        .flatMap((one) => (one.kind === kind ? [one.metadata.name] : [])),
    )
  const used = (pattern: RegExp): string[] => unique([...text.matchAll(pattern)].map(([, name]) => name))
  expect(used(/"configMapRef":{"name":"([^"]+)"/g)).toEqual(named('ConfigMap'))
  expect(used(/"service":{"name":"([^"]+)"/g)).toEqual(named('Service'))
  // CloudNativePG gives the primary's service this name.
  expect(used(/@([\w-]+)-rw:5432/g)).toEqual(named('Cluster'))
  const made = [...textOf('kubernetes.yaml').matchAll(/create secret generic (\S+)/g)].map(([, name]) => name)
  expect(used(/"(?:secretName":|(?:secretRef|secretKeyRef|passwordSecret)":{"name":)"(undock-[\w-]+)"/g)).toEqual(
    unique(made),
  )
})
