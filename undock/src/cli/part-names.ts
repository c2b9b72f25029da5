/** What undock is not installed with, and fetches when a project first needs it. */
export const PART_NAMES = [
  'deno',
  'pglite',
  'images',
  's3',
  'nats',
  'mcp',
  'postgres-meta',
  'postgres-15',
  'postgres-17',
  'postgres-18',
  'postgis',
] as const

export type PartName = (typeof PART_NAMES)[number]
