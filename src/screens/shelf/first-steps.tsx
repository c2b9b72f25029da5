import { Link, useNavigate } from '@tanstack/react-router'
import { FlaskConical, Import, type LucideIcon, UserPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { addSample, removeSample } from '../../features/transfer/sample.ts'
import { t } from '../../lib/i18n/i18n.ts'

type FirstStepsProps = { library: string; isOwner: boolean; onImport: () => void }

export function FirstSteps({ library, isOwner, onImport }: FirstStepsProps) {
  const navigate = useNavigate()
  const adding = useAction(addSample, {
    onSuccess: (collection) => void navigate({ to: '/l/$library', params: { library }, search: { collection } }),
  })
  return (
    <ul aria-label={t('Other ways to start')} className="mx-auto -mt-8 grid max-w-3xl gap-3 pb-12 sm:grid-cols-3">
      <Step icon={Import} text={t('From Notion, Zotero, Paperless, Karakeep or a ZIP.')}>
        <Button size="small" onClick={onImport}>
          {t('Import…')}
        </Button>
      </Step>
      {isOwner ? (
        <Step icon={UserPlus} text={t('Invite several people at once by email.')}>
          <Button size="small" asChild>
            <Link to="/l/$library/members" params={{ library }}>
              {t('Invite people')}
            </Link>
          </Button>
        </Step>
      ) : null}
      <Step icon={FlaskConical} text={t('Three short notes to try search and Ask with. You can remove them again.')}>
        <Button size="small" busy={adding.isPending} onClick={() => adding.mutate(library)}>
          {t('Add a sample')}
        </Button>
      </Step>
    </ul>
  )
}

function Step({ icon: Icon, text, children }: { icon: LucideIcon; text: string; children: ReactNode }) {
  return (
    <li className="flex flex-col items-center gap-2 rounded-lg border border-line bg-surface p-4 text-center text-sm">
      <Icon aria-hidden className="size-5 text-accent" strokeWidth={1.5} />
      <p className="grow text-ink-soft">{text}</p>
      {children}
    </li>
  )
}

export function SampleNotice({ library }: { library: string }) {
  const navigate = useNavigate()
  const removal = useAction(removeSample, {
    onSuccess: () => void navigate({ to: '/l/$library', params: { library } }),
  })
  return (
    <Notice tone="info" className="mb-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span>{t('These documents are a sample. Search them, ask about them, change them.')}</span>
        <Button size="small" busy={removal.isPending} onClick={() => removal.mutate(library)}>
          {t('Remove the sample')}
        </Button>
      </div>
    </Notice>
  )
}
