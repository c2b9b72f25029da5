import { useMutation, useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { useAction } from '../../domain/failure-toast.ts'
import { expiryText, isLive } from '../../domain/validity.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { createShareLink, revokeShareLink } from './mutations.ts'
import { audienceQuery, type ShareLink, shareLinksQuery } from './queries.ts'

type ShareLinkListProps = { library: string; document: string; links: readonly ShareLink[] }

function ShareLinkList({ library, document, links }: ShareLinkListProps) {
  const revocation = useAction(revokeShareLink)
  if (links.length === 0) return null
  return (
    <ul aria-label={t('Links')} className="divide-y divide-line rounded-lg border border-line">
      {links.map((link) => {
        const live = isLive(link)
        return (
          <li key={link.id} className="flex items-center gap-3 px-3 py-2.5 text-sm">
            <Link2 aria-hidden className={live ? 'size-4 text-accent' : 'size-4 text-ink-faint'} />
            <div className="min-w-0 flex-1">
              <p className={live ? '' : 'text-ink-faint'}>{expiryText(link)}</p>
              <p className="text-ink-faint text-xs">
                {t('{views, plural, =0 {not opened yet} one {opened once} other {opened # times}}', {
                  views: link.view_count,
                })}
                {' · '}
                {t('created by {name} on {date}', {
                  name: link.author?.display_name ?? t('a former member'),
                  date: formatDate(link.created_at),
                })}
              </p>
            </div>
            {live ? (
              <Button
                size="small"
                look="danger"
                busy={revocation.isPending && revocation.variables.link === link.id}
                onClick={() => revocation.mutate({ library, document, link: link.id })}
              >
                {t('Revoke')}
              </Button>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}

type ShareDialogProps = {
  library: string
  document: { id: string; title: string }
  /** Editors create links; everyone sees the audience. */
  canShare: boolean
  onClose: () => void
}

/** A document's audience and share links. Mounted only while open. */
export function ShareDialog({ library, document, canShare, onClose }: ShareDialogProps) {
  return (
    <Dialog open onOpenChange={onClose} title={t('Who can see “{title}”', { title: document.title })}>
      <div className="grid gap-7">
        {canShare ? <Links library={library} document={document.id} /> : null}
        <Audience library={library} document={document.id} />
      </div>
    </Dialog>
  )
}

function Links({ library, document }: { library: string; document: string }) {
  const [days, setDays] = useState('7')
  const { data: links = [], error } = useQuery(shareLinksQuery(library, document))
  const creation = useMutation({
    ...createShareLink,
  })
  const submit = () => creation.mutate({ library, document, days: Number(days) })
  return (
    <section aria-labelledby="share-links" className="grid gap-3">
      <h3 id="share-links" className="eyebrow">
        {t('By link, without an account')}
      </h3>
      <FailureNotice error={creation.error ?? error} />
      <Form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="min-w-44 flex-1">
          <SelectField
            label={t('How long the link works')}
            value={days}
            onValue={setDays}
            options={[
              { value: '1', label: t('for a day') },
              { value: '7', label: t('for a week') },
              { value: '30', label: t('for 30 days') },
              { value: '0', label: t('until it is revoked') },
            ]}
          />
        </div>
        <Button type="submit" look="primary" busy={creation.isPending}>
          {t('Create link')}
        </Button>
      </Form>
      {creation.data ? (
        <Notice tone="success" title={t('Anyone with this link can read the document.')}>
          <p className="mb-2">{t('Copy it now. You won’t see it again.')}</p>
          <CopyField label={t('Share link')} value={`${location.origin}/s/${creation.data.token}`} />
        </Notice>
      ) : null}
      <ShareLinkList library={library} document={document} links={links} />
    </section>
  )
}

function Audience({ library, document }: { library: string; document: string }) {
  const { data: people, error } = useQuery(audienceQuery(library, document))
  return (
    <section aria-labelledby="audience" className="grid gap-2">
      <h3 id="audience" className="eyebrow">
        {t('With an account')}
      </h3>
      <FailureNotice error={error} />
      {people ? (
        <ul className="grid gap-2">
          {people.map(({ user_id, display_name, avatar_path, role, through, group_name }) => (
            <li key={user_id} className="flex items-center gap-3 text-sm">
              <Avatar decorative name={display_name} src={avatarUrl(avatar_path)} className="size-7" />
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {display_name}
              </span>
              <span className="min-w-0 truncate text-ink-faint text-xs">
                {group_name
                  ? t('through “{collection}” and the group “{group}”', {
                      collection: through ?? '',
                      group: group_name,
                    })
                  : through
                    ? t('through “{collection}”', { collection: through })
                    : t('member')}
              </span>
              <Badge>{role === 'reader' ? t('reads') : t('reads and changes')}</Badge>
            </li>
          ))}
        </ul>
      ) : error ? null : (
        <Skeleton className="h-16" />
      )}
    </section>
  )
}
