import type { invitationQuery } from '../../features/account/invitation.ts'
import { t } from '../../lib/i18n/i18n.ts'

export type Invitation = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof invitationQuery>['queryFn']>>>>

/** Describes who invites, to what, and with which role. */
export function offerOf({ invited_by, library_name, collection_name, role }: Invitation): string {
  const values = { who: invited_by ?? t('Someone'), library: library_name }
  if (collection_name)
    return t('{who} gives you access to “{collection}” in {library}.', { ...values, collection: collection_name })
  return {
    guest: '',
    reader: t('{who} invites you to read and comment in {library}.', values),
    editor: t('{who} invites you to read, add and change in {library}.', values),
    owner: t('{who} invites you to own {library} together.', values),
  }[role]
}
