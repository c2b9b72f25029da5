import { env } from '../lib/backend/env.ts'

export const avatarUrl = (path: string | null): string | undefined =>
  path ? `${env.supabaseUrl}/storage/v1/object/public/avatars/${encodeURI(path)}` : undefined
