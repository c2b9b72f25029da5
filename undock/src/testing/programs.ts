import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a program is, or undefined. Debian's packages put servers where only root's PATH looks. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((folder) => join(folder, name)).find(existsSync)
