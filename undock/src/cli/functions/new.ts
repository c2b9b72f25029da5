import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { findConfigFile } from '../../config/project.ts'
import { parseTables, setValues } from '../../config/read-toml.ts'
import { isTable } from '../../config/values.ts'
import { findWorkdir, UsageError } from '../arguments.ts'

/** Names that the Supabase CLI accepts for functions. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

type NewFunctionOptions = { readonly workdir?: string; readonly auth: keyof typeof SOURCES }

/** `undock functions new NAME`: creates an entrypoint, its deno.json and its section of the configuration. The running stack
 *  serves it immediately.
 *  @throws {UsageError} if the name is invalid or taken. */
export async function newFunction(name: string, options: NewFunctionOptions): Promise<number> {
  if (!NAME.test(name))
    throw new UsageError(
      `"${name}" is not a valid name for a function: use letters, digits, hyphens and underscores, starting with a letter.`,
    )
  const workdir = findWorkdir(options.workdir)
  const folder = join(workdir, 'supabase', 'functions', name)
  const entrypoint = join(folder, 'index.ts')
  if (existsSync(entrypoint)) throw new UsageError(`${relative(workdir, entrypoint)} already exists.`)
  const file = findConfigFile(join(workdir, 'supabase')) ?? 'config.toml'
  const config = join(workdir, 'supabase', file)
  const before = await readFile(config, 'utf8').catch(() => '')
  const { functions: declared } = parseTables(before, `supabase/${file}`)
  const isDeclared = isTable(declared) && Object.hasOwn(declared, name)
  await mkdir(folder, { recursive: true })
  await writeFile(entrypoint, SOURCES[options.auth](name))
  await writeFile(join(folder, 'deno.json'), DENO_JSON)
  const values = {
    enabled: true,
    verify_jwt: options.auth === 'user',
    import_map: `./functions/${name}/deno.json`,
    entrypoint: `./functions/${name}/index.ts`,
  }
  const after = isDeclared ? before : setValues(file, before, ['functions', name], values)
  if (after === null) console.error(`Add to supabase/${file}:\n${setValues(file, '', ['functions', name], values)}`)
  else if (after !== before) await writeFile(config, after)
  console.log(`Created ${relative(process.cwd(), entrypoint) || entrypoint}`)
  return 0
}

const DENO_JSON = `{
  "imports": {
    "@supabase/functions-js": "jsr:@supabase/functions-js@^2",
    "@supabase/supabase-js": "jsr:@supabase/supabase-js@^2"
  }
}
`

const TYPES = "import '@supabase/functions-js/edge-runtime.d.ts'\n"

/** Templates by caller: users with their token, clients with an API key, or anyone. */
const SOURCES = {
  user: (name: string) => `// Serves signed-in users at /functions/v1/${name}. Row security applies to its queries.
${TYPES}import { createClient } from '@supabase/supabase-js'

Deno.serve(async (request) => {
  const authorization = request.headers.get('authorization') ?? ''
  const supabase = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, {
    global: { headers: { authorization } },
  })
  const { data, error } = await supabase.auth.getUser(authorization.replace('Bearer ', ''))
  if (error) return Response.json({ message: error.message }, { status: 401 })
  return Response.json({ message: \`Hello \${data.user.email}!\` })
})
`,
  apikey: (name: string) => `// Serves clients with an API key of the project at /functions/v1/${name}.
${TYPES}
const keys = ['SUPABASE_PUBLISHABLE_KEYS', 'SUPABASE_SECRET_KEYS'].flatMap((name) =>
  Object.values<string>(JSON.parse(Deno.env.get(name) ?? '{}')),
)

Deno.serve(async (request) => {
  if (!keys.includes(request.headers.get('apikey') ?? '')) return Response.json({ message: 'Invalid API key' }, { status: 401 })
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})
`,
  none: (name: string) => `// Serves anyone at /functions/v1/${name}.
${TYPES}
Deno.serve(async (request) => {
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})
`,
} as const satisfies Record<string, (name: string) => string>
