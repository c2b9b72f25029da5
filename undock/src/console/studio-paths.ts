/** Studio's addresses and those of the same screens here, so that links in tutorials work.
 *  @see supabase/supabase apps/studio/pages/project/[ref] */
const SCREENS: readonly (readonly [studio: string, here: string])[] = [
  ['editor', '/tables'],
  ['sql', '/sql'],
  ['auth/users', '/users'],
  ['auth/policies', '/policies'],
  ['auth/providers', '/settings?group=providers'],
  ['auth/rate-limits', '/settings?group=auth'],
  ['auth/smtp', '/settings?group=smtp'],
  ['auth/hooks', '/settings?group=hooks'],
  ['auth/templates', '/mail/templates'],
  ['auth', '/users'],
  ['storage/settings', '/settings?group=storage'],
  ['storage', '/storage'],
  ['functions/secrets', '/settings?group=secrets'],
  ['functions', '/functions'],
  ['realtime/policies', '/policies?schema=realtime'],
  ['realtime', '/realtime'],
  ['branches', '/branches'],
  ['logs/explorer', '/logs/sql'],
  ['logs', '/logs'],
  ['advisors/query-performance', '/database?part=statements'],
  ['advisors', '/advisors'],
  ['observability', '/database'],
  ['reports', '/database'],
  ['database/tables', '/tables'],
  ['database/functions', '/schema/functions'],
  ['database/triggers', '/schema/triggers'],
  ['database/types', '/schema/types'],
  ['database/indexes', '/schema/indexes'],
  ['database/extensions', '/schema/extensions'],
  ['database/publications', '/schema/publications'],
  ['database/roles', '/schema/roles'],
  ['database/hooks', '/schema/webhooks'],
  ['database/backups', '/branches'],
  ['database/replication', '/database'],
  ['database', '/schema'],
  ['integrations/cron', '/schema/cron'],
  ['integrations/queues', '/schema/queues'],
  ['integrations/vault', '/schema/vault'],
  ['settings/vault', '/schema/vault'],
  ['settings', '/settings'],
  ['integrations/webhooks', '/schema/webhooks'],
  ['integrations', '/schema/extensions'],
  ['', '/'],
]

/** The address here of an address of Studio; null for any other. */
export function studioPath(path: string): string | null {
  if (path === '/project') return '/'
  const [, rest] = /^\/project\/[\w-]+\/?(.*)$/.exec(path) ?? []
  if (rest === undefined) return null
  return SCREENS.find(([studio]) => rest === studio || studio === '' || rest.startsWith(`${studio}/`))?.[1] ?? null
}
