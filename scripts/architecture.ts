// `node scripts/architecture.ts [--check]`: undock/scripts/architecture.ts for the app and the repository's pages.
import { checkArchitecture } from '../undock/scripts/architecture.ts'
import { ROOT } from './processes.ts'

checkArchitecture({
  root: ROOT,
  source: 'src',
  map: 'docs/architecture.md',
  pages: ['*.md', 'docs/**/*.md', 'supabase/*.md', '.github/*.md'],
  bases: ['.', 'src', 'supabase', 'supabase/functions', 'tests', 'undock', 'undock/src'],
})
