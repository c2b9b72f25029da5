import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { parseEnvFile } from '../../config/env.ts'
import { isTable } from '../../config/values.ts'
import { quoted } from '../../console/secret-file.ts'
import { NAME } from '../../functions/catalogue.ts'
import { createSerialQueue, ifMissing } from '../../kernel/promises.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import type { Stack } from '../../runtime/stack/stack.ts'

/** What the CLI sends with a function's sources. */
export const FunctionMetadata = z.object({
  name: z.string().optional(),
  entrypoint_path: z.string(),
  import_map_path: z.string().default(''),
  static_patterns: z.array(z.string()).default([]),
  verify_jwt: z.boolean().optional(),
})

/** A deployed function, as the Management API shows it. */
const DeployedFunction = FunctionMetadata.required().extend({
  id: z.string(),
  slug: z.string().regex(NAME),
  status: z.literal('ACTIVE'),
  version: z.number(),
  /** Milliseconds since the epoch. */
  created_at: z.number(),
  updated_at: z.number(),
})
export type DeployedFunction = z.infer<typeof DeployedFunction>

const Deployed = z.object({
  ref: z.string(),
  token: z.string(),
  createdAt: z.string(),
  /** As in config.json. */
  settings: z.record(z.string(), z.unknown()),
  /** Pushed settings of Auth without a counterpart in config.json. */
  unused: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.string()),
  functions: z.record(z.string(), DeployedFunction),
})
/** What was deployed to the project, except its database and files. */
type Deployed = z.infer<typeof Deployed>

export type DeployedProject = {
  readonly deployed: Deployed
  readonly stack: Stack
  /** Changes what is deployed, and restarts the backend with it. Concurrent changes wait for each other.
   *  @throws {ConfigError | ServiceError} without changing anything, if the backend can't use the result. */
  change(work: (draft: Deployed) => void): Promise<void>
  /** Stores a function's sources as its next version, without serving it. */
  storeFunction(
    slug: string,
    metadata: z.infer<typeof FunctionMetadata>,
    files: readonly File[],
  ): Promise<DeployedFunction>
  stop(): Promise<void>
}

/** Opens the project in a folder, or creates an empty one, and starts its backend.
 *  @param ref A new project's reference; random by default.
 *  @param start Starts the backend of a folder. */
export async function openDeployedProject(
  folder: string,
  ref: string | undefined,
  start: (folder: string) => Promise<Stack>,
): Promise<DeployedProject> {
  const file = join(folder, 'deployed.json')
  const text = await readFile(file, 'utf8').catch(ifMissing(null))
  let deployed = text === null ? newProject() : Deployed.parse(JSON.parse(text))
  deployed.ref = ref ?? deployed.ref
  await writeProject(deployed)
  let stack = await start(folder)
  const inTurn = createSerialQueue()

  async function writeProject(next: Deployed): Promise<void> {
    const supabase = join(folder, 'supabase')
    const env = Object.entries(next.secrets).map(([name, value]) => `${name}=${quoted(value)}\n`)
    if (!isDeepStrictEqual({ ...parseEnvFile(env.join(''), '.env') }, { ...next.secrets }))
      throw new ServiceError('secret', 400, 'undock hosted cannot store one of these values in a .env file')
    await mkdir(join(supabase, 'functions'), { recursive: true })
    await writeFile(join(supabase, 'config.json'), JSON.stringify(configOf(next), null, 2))
    await writeFile(join(supabase, 'functions', '.env'), env.join(''), { mode: 0o600 })
    await writeFile(file, JSON.stringify(next, null, 2), { mode: 0o600 })
  }

  async function apply(next: Deployed): Promise<void> {
    await writeProject(next)
    await stack.stop()
    stack = await start(folder)
  }

  const versionFolder = (one: DeployedFunction): string => join(folder, 'supabase', sourcesOf(one))

  async function change(work: (draft: Deployed) => void): Promise<void> {
    const next = structuredClone(deployed)
    work(next)
    const changed = otherVersions(next, deployed)
    try {
      await apply(next)
      const checks = changed.length > 0 ? await stack.prepareFunctions() : []
      const broken = checks.find(({ name, fault }) => fault !== null && changed.some(({ slug }) => slug === name))
      if (broken) throw new ServiceError('bundle', 400, `The function ${broken.name} cannot boot: ${broken.fault}`)
    } catch (error) {
      await apply(deployed)
      throw error
    }
    const replaced = otherVersions(deployed, next)
    deployed = next
    for (const one of replaced) await rm(versionFolder(one), { recursive: true, force: true })
  }

  return {
    get deployed() {
      return deployed
    },
    get stack() {
      return stack
    },
    change: (work) => inTurn(() => change(work)),
    async storeFunction(slug, metadata, files) {
      const before = functionOf(deployed.functions, slug)
      const now = Date.now()
      const { entrypoint_path, import_map_path, static_patterns } = metadata
      const stored = DeployedFunction.parse({
        id: before?.id ?? randomUUID(),
        slug,
        name: metadata.name ?? slug,
        status: 'ACTIVE',
        version: (before?.version ?? 0) + 1,
        created_at: before?.created_at ?? now,
        updated_at: now,
        verify_jwt: metadata.verify_jwt ?? before?.verify_jwt ?? true,
        entrypoint_path: innerPath(entrypoint_path),
        import_map_path: import_map_path && innerPath(import_map_path),
        static_patterns: static_patterns.map(innerPath),
      })
      const sources = versionFolder(stored)
      await rm(sources, { recursive: true, force: true })
      for (const one of files) {
        const path = join(sources, innerPath(one.name))
        const bytes = Buffer.from(await one.arrayBuffer())
        const writing = mkdir(dirname(path), { recursive: true }).then(() => writeFile(path, bytes))
        await writing.catch(({ code }: NodeJS.ErrnoException) => {
          throw new ServiceError(
            'path',
            code === 'ENOSPC' ? 507 : 400,
            `undock hosted cannot store ${one.name}: ${code}`,
          )
        })
      }
      return stored
    },
    stop: () => inTurn(() => stack.stop()),
  }
}

/** A name such as `constructor` is a function only if one was deployed. */
export const functionOf = (functions: Deployed['functions'], slug: string): DeployedFunction | undefined =>
  Object.hasOwn(functions, slug) ? functions[slug] : undefined

const otherVersions = (one: Deployed, other: Deployed): DeployedFunction[] =>
  Object.values(one.functions).filter(({ slug, version }) => functionOf(other.functions, slug)?.version !== version)

function newProject(): Deployed {
  return {
    ref: Array.from({ length: 20 }, () => String.fromCharCode(97 + randomInt(26))).join(''),
    token: `sbp_${randomBytes(20).toString('hex')}`,
    createdAt: new Date().toISOString(),
    settings: {},
    unused: {},
    secrets: {},
    functions: {},
  }
}

/** Each function has its own copy of the sources that it shares, like on the platform. */
const sourcesOf = ({ slug, version }: DeployedFunction): string => posix.join('functions', slug, `v${version}`)

/** @throws {ServiceError} for a path outside of the project. */
function innerPath(path: string): string {
  const inner = posix.normalize(path)
  if (!posix.isAbsolute(inner) && !inner.startsWith('..') && !inner.includes('\\')) return inner
  throw new ServiceError('path', 400, `undock hosted cannot store ${path}, which is outside of the project's folder`)
}

/** Seeds and migrations arrive only by `db push`; the folder has none. */
function configOf({ ref, settings, functions }: Deployed): object {
  return {
    ...settings,
    project_id: ref,
    db: { ...(isTable(settings.db) ? settings.db : {}), seed: { enabled: false } },
    functions: Object.fromEntries(
      Object.values(functions).map((one) => {
        const at = (path: string): string => `./${posix.join(sourcesOf(one), path)}`
        const importMap = one.import_map_path ? { import_map: at(one.import_map_path) } : {}
        const own = { verify_jwt: one.verify_jwt, entrypoint: at(one.entrypoint_path) }
        return [one.slug, { ...own, ...importMap, static_files: one.static_patterns.map(at) }]
      }),
    ),
  }
}
