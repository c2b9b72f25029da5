import { UserRoundSearch } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'

const ShareDialog = lazy(() => import('./share-dialog.tsx').then(({ ShareDialog }) => ({ default: ShareDialog })))

type ShareButtonProps = { library: string; document: { id: string; title: string }; canShare: boolean }

export function ShareButton(props: ShareButtonProps) {
  const [open, setOpen] = useState(false)
  const label = props.canShare ? t('Share') : t('Who can see this')
  return (
    <>
      <Tooltip text={label}>
        <IconButton icon={UserRoundSearch} label={label} onClick={() => setOpen(true)} />
      </Tooltip>
      <Suspense fallback={<Opening />}>
        {open ? <ShareDialog {...props} onClose={() => setOpen(false)} /> : null}
      </Suspense>
    </>
  )
}
