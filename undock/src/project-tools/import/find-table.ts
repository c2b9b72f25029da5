import type { Catalog } from './catalog.ts'

/** Finds a table by its name, with or without a schema (then `public`), quoted as in SQL or not.
 *  @returns its id, or null. */
export function findTable(name: string, { tables }: Catalog): string | null {
  const found = [...tables.values()].find(
    (table) =>
      table.id === name ||
      `${table.schema}.${table.name}` === name ||
      (table.schema === 'public' && (table.name === name || table.id === `public.${name}`)),
  )
  return found?.id ?? null
}
