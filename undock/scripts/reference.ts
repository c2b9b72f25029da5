import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVE_NOTES } from '../src/cli/stack/stack-commands.ts'
import { commandsPage } from './reference/commands.ts'
import { libraryPage } from './reference/library.ts'
import { fieldsOf, settingsPage } from './reference/settings.ts'

const SOURCE = join(import.meta.dirname, '../src')
const schema = (name: string): string => join(SOURCE, `config/schema/${name}.ts`)

/** Writes the pages of the reference into a folder. */
export function writeReference(folder: string): void {
  const settings = fieldsOf([join(SOURCE, 'config/settings.ts')], 'SettingsSchema')
  const project = fieldsOf(['project', 'auth', 'services'].map(schema), 'ProjectSchema')
  const pages = {
    commands: commandsPage(),
    'undock-toml': settingsPage(
      'undock.toml',
      "`supabase/undock.toml` contains undock's own settings; the file is optional. Environment variables override keys, and an unknown key is an error with a suggestion.",
      settings,
      'UNDOCK',
    ),
    'config-toml': settingsPage(
      'config.toml',
      '`supabase/config.toml` works as with the Supabase CLI: same keys, defaults, `env(NAME)`, and variables such as `SUPABASE_API_PORT` for `api.port`. An unknown key is an error with a suggestion. The start names settings without effect here; [what works](../../docs/compatibility/config.md) lists them.',
      project,
      '',
    ),
    environment: environmentPage(),
    library: libraryPage(SOURCE),
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, `${name}.md`), text)
}

const environmentPage = (): string => `# Environment variables

Variables override keys of the settings files: \`SUPABASE_\` and the path for [config.toml](config-toml.md) (\`SUPABASE_API_PORT\` is
\`api.port\`), \`UNDOCK_\` and the path for [undock.toml](undock-toml.md) (\`UNDOCK_LIMITS_REST_BODY\` is \`limits.rest_body\`). They can also be in
\`supabase/.env\`, \`.env\` and their \`.local\` and \`.development\` forms, as with the Supabase CLI.

## undock serve

\`\`\`text
${SERVE_NOTES.trim()}
\`\`\`
`
