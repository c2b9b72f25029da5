import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Project } from './schema/project.ts'

/** Makes all paths absolute, from `supabase/` or, like the CLI for mail templates (not notifications), its parent. */
export function resolvePaths(project: Project, folder: string): Project {
  const from = (base: string) => (path: string) => (path === '' || isAbsolute(path) ? path : join(base, path))
  const here = from(folder)
  const above = from(dirname(folder))
  const { api, db, storage, auth, functions, analytics, experimental } = project
  const { pgdelta } = experimental
  return {
    ...project,
    api: { ...api, tls: { ...api.tls, cert_path: here(api.tls.cert_path), key_path: here(api.tls.key_path) } },
    db: {
      ...db,
      migrations: { ...db.migrations, schema_paths: db.migrations.schema_paths.map(here) },
      seed: { ...db.seed, sql_paths: db.seed.sql_paths.map(here) },
    },
    storage: {
      ...storage,
      buckets: mapTables(storage.buckets, (bucket) => ({ ...bucket, objects_path: here(bucket.objects_path) })),
    },
    auth: {
      ...auth,
      signing_keys_path: here(auth.signing_keys_path),
      email: {
        ...auth.email,
        template: mapTables(auth.email.template, (mail) => ({ ...mail, content_path: above(mail.content_path) })),
        notification: mapTables(auth.email.notification, (mail) => ({
          ...mail,
          content_path: here(mail.content_path),
        })),
      },
    },
    functions: mapTables(functions, (one, slug) => {
      const entrypoint = here(one.entrypoint || join('functions', slug, 'index.ts'))
      return {
        ...one,
        entrypoint,
        import_map: one.import_map === '' ? ownDenoJson(dirname(entrypoint)) : here(one.import_map),
        static_files: one.static_files.map(here),
      }
    }),
    analytics: { ...analytics, gcp_jwt_path: here(analytics.gcp_jwt_path) },
    experimental: {
      ...experimental,
      pgdelta: pgdelta && { ...pgdelta, declarative_schema_path: here(pgdelta.declarative_schema_path) },
    },
  }
}

/** Returns a function's default import map: its deno.json or deno.jsonc; empty without one. */
export const ownDenoJson = (folder: string): string =>
  ['deno.json', 'deno.jsonc'].map((name) => join(folder, name)).find((path) => existsSync(path)) ?? ''

const mapTables = <T>(tables: Record<string, T>, change: (table: T, name: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, change(table, name)]))
