import { env } from '../lib/backend/env.ts'

/** The public address of a person's picture. */
export const avatarUrl = (path: string | null): string | undefined =>
  path ? `${env.supabaseUrl}/storage/v1/object/public/avatars/${encodeURI(path)}` : undefined
