// `node scripts/reference.ts FOLDER`: writes the pages of the reference from the code.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVE_NOTES } from '../src/cli/help.ts'
import { commandsPage } from './reference/commands.ts'
import { errorsPage } from './reference/errors.ts'
import { libraryPage } from './reference/library.ts'
import { fieldsOf, settingsPage } from './reference/settings.ts'

const SOURCE = join(import.meta.dirname, '../src')
const schema = (name: string): string => join(SOURCE, `config/schema/${name}.ts`)

/** Writes the pages of the reference into a folder. */
export function writeReference(folder: string): void {
  const settings = fieldsOf([join(SOURCE, 'config/settings.ts')], 'SettingsSchema')
  const project = fieldsOf(['project', 'auth', 'db', 'services'].map(schema), 'ProjectSchema')
  const pages = {
    commands: commandsPage(),
    'undock-toml': settingsPage(
      'undock.toml',
      '`supabase/undock.toml` holds what only undock has; the file may be missing. A variable of the environment replaces its key, and a key that is not known is an error with a suggestion.',
      settings,
      'UNDOCK',
    ),
    'config-toml': settingsPage(
      'config.toml',
      '`supabase/config.toml` is read as the Supabase CLI reads it: same keys, defaults, `env(NAME)`, and variables such as `SUPABASE_API_PORT` for `api.port`. A key that is not known is an error with a suggestion. Settings without an effect here are named at the start; [what works](../../docs/compatibility/config.md) lists them.',
      project,
      '',
    ),
    environment: environmentPage(),
    library: libraryPage(SOURCE),
    errors: errorsPage(SOURCE),
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, `${name}.md`), text)
}

const environmentPage = (): string => `# Environment variables

A variable replaces a key of a settings file: \`SUPABASE_\` and the path for [config.toml](config-toml.md) (\`SUPABASE_API_PORT\` is
\`api.port\`), \`UNDOCK_\` and the path for [undock.toml](undock-toml.md) (\`UNDOCK_LIMITS_REST_BODY\` is \`limits.rest_body\`). They are also
read from \`supabase/.env\`, \`.env\` and their \`.local\` and \`.development\` forms, as the Supabase CLI does.

## undock serve

\`\`\`text
${SERVE_NOTES.trim()}
\`\`\`
`

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Usage: node scripts/reference.ts FOLDER')
  writeReference(folder)
}
