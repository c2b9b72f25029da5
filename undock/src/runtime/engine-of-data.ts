import type { DataFormat } from '../database/project/kept-data.ts'
import type { StackOptions } from './stack-options.ts'

/** The engine of a stack whose database is of a format. */
export const engineOf = (format: DataFormat): Pick<StackOptions, 'engine' | 'env'> =>
  format === 'pglite'
    ? { engine: 'pglite' }
    : { engine: 'native', env: { ...process.env, SUPABASE_DB_MAJOR_VERSION: String(format) } }
