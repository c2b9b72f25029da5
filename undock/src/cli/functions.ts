import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { findWorkdir, parse, UsageError } from './arguments.ts'

/** `undock functions …` */
export async function functions([name, ...args]: readonly string[]): Promise<number> {
  if (name === 'new') return newFunction(args)
  throw new UsageError(`undock functions knows "new", not "${name ?? ''}".`)
}

/** What the CLI takes for a function's name. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

/** `undock functions new NAME`: an entrypoint, its deno.json and its section of config.toml, which the running stack serves
 *  at once.
 *  @throws {UsageError} when the name is none or is taken. */
async function newFunction(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args, {
    allowPositionals: true,
    options: { workdir: { type: 'string' }, auth: { type: 'string', default: 'apikey' } },
  })
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) throw new UsageError('undock functions new takes one name.')
  if (!NAME.test(name))
    throw new UsageError(
      `"${name}" is no name for a function: it begins with a letter, and holds letters, digits, dashes and underscores.`,
    )
  const auth = String(values.auth)
  if (!isAuth(auth)) throw new UsageError(`--auth takes ${Object.keys(SOURCES).join(', ')}; not "${auth}".`)
  const workdir = findWorkdir(values.workdir as string | undefined)
  const folder = join(workdir, 'supabase', 'functions', name)
  const entrypoint = join(folder, 'index.ts')
  if (existsSync(entrypoint)) throw new UsageError(`${relative(workdir, entrypoint)} is there already.`)
  const config = join(workdir, 'supabase', 'config.toml')
  const isDeclared = Object.hasOwn(await declaredFunctions(config), name)
  await mkdir(folder, { recursive: true })
  await writeFile(entrypoint, SOURCES[auth](name))
  await writeFile(join(folder, 'deno.json'), DENO_JSON)
  if (!isDeclared) await declare(config, name, auth === 'user')
  console.log(`Created ${relative(process.cwd(), entrypoint) || entrypoint}`)
  return 0
}

async function declaredFunctions(path: string): Promise<object> {
  const { functions: declared = {} } = parseToml(await readFile(path, 'utf8').catch(() => ''))
  return declared as object
}

async function declare(path: string, name: string, verifyJwt: boolean): Promise<void> {
  const section = `\n[functions.${name}]\nenabled = true\nverify_jwt = ${verifyJwt}\nimport_map = "./functions/${name}/deno.json"\nentrypoint = "./functions/${name}/index.ts"\n`
  await appendFile(path, section)
}

const DENO_JSON = `{
  "imports": {
    "@supabase/functions-js": "jsr:@supabase/functions-js@^2",
    "@supabase/supabase-js": "jsr:@supabase/supabase-js@^2"
  }
}
`

const TYPES = "import '@supabase/functions-js/edge-runtime.d.ts'\n"

/** By who may call: users with their token, programs with a key of the project, or anybody. */
const SOURCES = {
  user: (
    name: string,
  ) => `// Answers users at /functions/v1/${name}; what it asks of the database passes their row security.
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
  apikey: (name: string) => `// Answers at /functions/v1/${name} whoever knows a key of the project.
${TYPES}
const keys = ['SUPABASE_PUBLISHABLE_KEYS', 'SUPABASE_SECRET_KEYS'].flatMap((name) =>
  Object.values<string>(JSON.parse(Deno.env.get(name) ?? '{}')),
)

Deno.serve(async (request) => {
  if (!keys.includes(request.headers.get('apikey') ?? '')) return Response.json({ message: 'No key' }, { status: 401 })
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})
`,
  none: (name: string) => `// Answers anybody at /functions/v1/${name}.
${TYPES}
Deno.serve(async (request) => {
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})
`,
} as const satisfies Record<string, (name: string) => string>

const isAuth = (text: string): text is keyof typeof SOURCES => Object.hasOwn(SOURCES, text)
